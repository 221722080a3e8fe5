/** This machine, which webhooks may reach only where someone tries things out. */
export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1/128']
