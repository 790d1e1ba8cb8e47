package io.weir.cli;

import picocli.CommandLine.IVersionProvider;

/** Reads the version from the manifest of the jar. */
final class CliVersionProvider implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {
      "weir %s on Java %s"
          .formatted(version == null ? "(not packaged)" : version, Runtime.version())
    };
  }
}
