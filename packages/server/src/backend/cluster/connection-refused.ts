/** A server of the cluster does not let this node in, however often it tries: its settings are wrong. The message has no secret. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused'
}
