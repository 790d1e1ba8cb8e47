/** What the gateway must know of gRPC: its requests, deadlines, status codes and error details. */
package io.weir.gateway.grpc;
