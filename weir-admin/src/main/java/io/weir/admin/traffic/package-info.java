/** Traffic statistics of a node: by second, by minute, and recorded requests for replay. */
package io.weir.admin.traffic;
