/** Events by name, each with the type of its properties: the type parameter of `Analytics`. */
export type EventMap = Record<string, object>

/** At least one of the two ids. */
type Identity =
  | { readonly userId: string; readonly anonymousId?: string | null | undefined }
  | { readonly userId?: string | null | undefined; readonly anonymousId: string }

interface Common {
  /** Instead of a random one: calls with the same id count once. At most 100 characters. */
  readonly messageId?: string | undefined
  /** When it happened, where that is not now: a historical import. A text is sent as it is. */
  readonly timestamp?: Date | string | undefined
  readonly context?: object | undefined
  /** Which destinations may have it, as in `{ All: false, Webhooks: true }`. */
  readonly integrations?: Readonly<Record<string, unknown>> | undefined
}

export type IdentifyCall = Common & Identity & { readonly traits?: object | undefined }

export type GroupCall = Common &
  Identity & { readonly groupId: string; readonly traits?: object | undefined }

export type AliasCall = Common & { readonly userId: string; readonly previousId: string }

/** A page or a screen. Of a page's properties `url`, `title`, `referrer` and `path` have a known meaning. */
export type ViewCall = Common &
  Identity & {
    readonly name?: string | undefined
    readonly category?: string | undefined
    readonly properties?: object | undefined
  }

/** A track call of one of the events; `properties` may be left out where none is required. */
export type TrackCall<Events extends EventMap = EventMap> = Common &
  Identity &
  {
    [Name in keyof Events & string]: { readonly event: Name } & (object extends Events[Name]
      ? { readonly properties?: Events[Name] | undefined }
      : { readonly properties: Events[Name] })
  }[keyof Events & string]
