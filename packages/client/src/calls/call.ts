/** The type parameter of `Analytics`: events by name, each with the type of its properties. */
export type EventMap = Record<string, object>

/** At least one of `userId` and `anonymousId`. */
type Identity =
  | { readonly userId: string; readonly anonymousId?: string | null | undefined }
  | { readonly userId?: string | null | undefined; readonly anonymousId: string }

interface CommonFields {
  /** Only the first of several calls with the same id is delivered. At most 100 characters. Default: a random UUID. */
  readonly messageId?: string | undefined
  /** The time of the call. Set a time in the past to import history. A string is sent unchanged. Default: now. */
  readonly timestamp?: Date | string | undefined
  readonly context?: object | undefined
  /** Which destinations may receive the call, as in `{ All: false, Webhooks: true }`. */
  readonly integrations?: Readonly<Record<string, unknown>> | undefined
}

export type IdentifyCall = CommonFields & Identity & { readonly traits?: object | undefined }

export type GroupCall = CommonFields &
  Identity & { readonly groupId: string; readonly traits?: object | undefined }

export type AliasCall = CommonFields & { readonly userId: string; readonly previousId: string }

/** A page or a screen. The properties `url`, `title`, `referrer` and `path` of a page have a standard meaning. */
export type ViewCall = CommonFields &
  Identity & {
    readonly name?: string | undefined
    readonly category?: string | undefined
    readonly properties?: object | undefined
  }

/** A track call of one of the events. `properties` is optional if the event requires none. */
export type TrackCall<Events extends EventMap = EventMap> = CommonFields &
  Identity &
  {
    [Name in keyof Events & string]: { readonly event: Name } & (object extends Events[Name]
      ? { readonly properties?: Events[Name] | undefined }
      : { readonly properties: Events[Name] })
  }[keyof Events & string]
