export type CallType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias'

/** A call as a program reads it from its file, one JSON object a line. */
export interface Call {
  /**
   * It is the member `call` of the properties or traits, too, and the userId of an alias call: by it the delivery is found.
   */
  readonly id: string
  readonly type: CallType
  readonly userId?: string
  readonly anonymousId?: string
  /** Of alias calls. */
  readonly previousId?: string
  /** Of group calls. */
  readonly groupId?: string
  /** Of track calls. */
  readonly event?: string
  /** Of page and screen calls. */
  readonly name?: string
  /** Of page calls. */
  readonly category?: string
  /** Of identify and group calls. */
  readonly traits?: Readonly<Record<string, unknown>>
  /** Of track, page and screen calls. */
  readonly properties?: Readonly<Record<string, unknown>>
  readonly context?: Readonly<Record<string, unknown>>
  readonly integrations?: Readonly<Record<string, unknown>>
  /** ISO 8601. The library gets it as the type of its language for a time. */
  readonly timestamp?: string
}
