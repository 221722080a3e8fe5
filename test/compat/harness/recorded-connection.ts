/** The bytes of a connection, in both directions. */
export interface RecordedConnection {
  /** Whether they went to the service, and not to the server that is never available. */
  readonly isToService: boolean
  readonly sent: Buffer[]
  readonly received: Buffer[]
}
