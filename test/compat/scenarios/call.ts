export type CallType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias'

/** A call as a program reads it from its file, one JSON object per line. */
export interface Call {
  /** Also sent as the member `call` of properties or traits, or as the userId of an alias call, to identify deliveries. */
  readonly id: string
  readonly type: CallType
  readonly userId?: string
  readonly anonymousId?: string
  /** For alias calls. */
  readonly previousId?: string
  /** For group calls. */
  readonly groupId?: string
  /** For track calls. */
  readonly event?: string
  /** For page and screen calls. */
  readonly name?: string
  /** For page calls. */
  readonly category?: string
  /** For identify and group calls. */
  readonly traits?: Readonly<Record<string, unknown>>
  /** For track, page and screen calls. */
  readonly properties?: Readonly<Record<string, unknown>>
  readonly context?: Readonly<Record<string, unknown>>
  readonly integrations?: Readonly<Record<string, unknown>>
  /** ISO 8601. Passed to the library as its language's type for a time. */
  readonly timestamp?: string
}
