/** All bytes of a connection, in both directions. */
export interface RecordedConnection {
  /** Whether it was to the service, and not to the server that always responds with 503. */
  readonly isToService: boolean
  readonly sent: Buffer[]
  readonly received: Buffer[]
}
