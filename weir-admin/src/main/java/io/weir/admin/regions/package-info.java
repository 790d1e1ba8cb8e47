/** Region support of a server: applies its region's shares of budgets, which may follow demand. */
package io.weir.admin.regions;
