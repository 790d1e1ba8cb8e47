/** The checks of {@code weir doctor}: problems in the environment of a server, with remedies. */
package io.weir.cli.doctor;
