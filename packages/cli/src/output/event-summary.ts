/** What tells an event from others at a glance. */
export interface EventSummary {
  readonly type: string
  /** The name of the event, page or screen. */
  readonly name: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
}

/** The summary of a call as it was received. */
export function summaryOf(call: Readonly<Record<string, unknown>>): EventSummary {
  const text = (field: string) => (call[field] ?? null) as string | null
  return {
    type: String(call['type']),
    name: text('event') ?? text('name'),
    userId: text('userId'),
    anonymousId: text('anonymousId'),
  }
}

/** The user of an event; empty if it has none. */
export function userOf({ userId, anonymousId }: EventSummary): string {
  return userId ?? anonymousId ?? ''
}
