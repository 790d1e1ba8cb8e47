package io.weir.server.deploy;

import static io.weir.server.deploy.DeployFiles.at;
import static io.weir.server.deploy.DeployFiles.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.server.RunningServer;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Kubernetes manifests match the server and each other. */
class KubernetesManifestTest {
  private final Map<String, Map<?, ?>> documentsByKind = new HashMap<>();
  private Object pod;
  private Object container;

  @BeforeEach
  void read() throws IOException {
    for (Map<?, ?> document : DeployFiles.readYaml("kubernetes/weir.yaml")) {
      documentsByKind.put((String) at(document, "kind"), document);
    }
    assertThat(documentsByKind)
        .containsOnlyKeys("ConfigMap", "Deployment", "Service", "PodDisruptionBudget");
    pod = at(documentsByKind, "Deployment", "spec", "template");
    container = at(pod, "spec", "containers", 0);
  }

  @Test
  void everyVariable_isASettingWithAValidValue() throws IOException {
    DeployFiles.assertVariablesAreSettings(DeployFiles.read("kubernetes/weir.yaml"));
    for (Object variable : list(container, "env")) {
      Object value = ((Map<?, ?>) variable).get("value");
      if (value != null) {
        DeployFiles.assertValueIsValid((String) at(variable, "name"), (String) value);
      }
    }
  }

  @Test
  void containerPorts_areTheDefaultPorts() {
    Map<Object, Object> ports = new HashMap<>();
    for (Object port : list(container, "ports")) {
      ports.put(at(port, "name"), at(port, "containerPort"));
    }
    assertThat(ports)
        .isEqualTo(
            Map.of(
                "http", DeployFiles.defaultPort(ServerSettings.HTTP_PORT),
                "grpc", DeployFiles.defaultPort(ServerSettings.GRPC_PORT),
                "admin", DeployFiles.defaultPort(ServerSettings.ADMIN_PORT)));
    for (Object port : list(documentsByKind, "Service", "spec", "ports")) {
      assertThat(ports).containsEntry(at(port, "targetPort"), at(port, "port"));
    }
    assertThat(at(pod, "metadata", "annotations", "prometheus.io/port"))
        .isEqualTo(String.valueOf(ports.get("admin")));
  }

  @Test
  void probePaths_exist(@TempDir Path folder) throws Exception {
    try (RunningServer running = RunningServer.start(folder, "rules: []", "admin-port", "0")) {
      for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
        assertThat(at(container, probe, "httpGet", "port")).isEqualTo("admin");
        URI uri =
            URI.create(
                "http://127.0.0.1:"
                    + running.port("admin")
                    + at(container, probe, "httpGet", "path"));
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode())
            .as(probe)
            .isEqualTo(200);
      }
    }
  }

  @Test
  void rulesConfigMap_isValidAndMountedWhereItIsRead() {
    RuleSet rules = Rules.parse((String) at(documentsByKind, "ConfigMap", "data", "rules.yaml"));
    assertThat(rules.rules()).hasSize(4);
    Map<Object, Object> mounts = new HashMap<>();
    for (Object mount : list(container, "volumeMounts")) {
      mounts.put(at(mount, "name"), at(mount, "mountPath"));
      assertThat(((Map<?, ?>) mount).get("subPath"))
          .as("a subPath mount is never updated")
          .isNull();
    }
    Set<Object> volumes = new HashSet<>();
    for (Object volume : list(pod, "spec", "volumes")) {
      volumes.add(at(volume, "name"));
    }
    assertThat(volumes).isEqualTo(mounts.keySet());
    assertThat(at(pod, "spec", "volumes", 0, "configMap", "name"))
        .isEqualTo(at(documentsByKind, "ConfigMap", "metadata", "name"));
    assertThat(list(container, "env"))
        .anyMatch(
            v ->
                ("file:" + mounts.get("rules") + "/rules.yaml")
                    .equals(((Map<?, ?>) v).get("value")));
  }

  @Test
  void labels_matchAndDisruptionBudgetAllowsOneNodeToStop() {
    Object labels = at(pod, "metadata", "labels");
    Object deployment = at(documentsByKind, "Deployment");
    Object budget = at(documentsByKind, "PodDisruptionBudget");
    assertThat(at(deployment, "spec", "selector", "matchLabels")).isEqualTo(labels);
    assertThat(at(documentsByKind, "Service", "spec", "selector")).isEqualTo(labels);
    assertThat(at(budget, "spec", "selector", "matchLabels")).isEqualTo(labels);
    assertThat((int) at(budget, "spec", "minAvailable"))
        .isLessThan((int) at(deployment, "spec", "replicas"));
  }

  @Test
  void securityContext_isTheImagesUserAndRestricted() throws IOException {
    assertThat(DeployFiles.read("docker/Dockerfile"))
        .contains("USER " + at(pod, "spec", "securityContext", "runAsUser"));
    assertThat(at(pod, "spec", "securityContext", "runAsNonRoot")).isEqualTo(true);
    assertThat(at(container, "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
    assertThat(at(container, "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
  }
}
