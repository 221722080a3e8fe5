/** The fields by which people recognise an event. */
export interface EventSummary {
  readonly type: string
  /** The name of the event, the page or the screen; of a computed event, the key of the trait that it sends. */
  readonly name: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
  readonly messageId: string | null
}

/** What people recognise in an event as the management API returns it. */
export function summaryOf(
  event: Readonly<Record<string, unknown>>,
  hasOrigin: boolean,
): EventSummary {
  const text = (name: string): string | null => textOrNull(event[name])
  const key = hasOrigin ? Object.keys((event['traits'] as object | undefined) ?? {})[0] : undefined
  return {
    type: text('type') ?? 'unknown',
    name: text('event') ?? text('name') ?? key ?? null,
    userId: text('userId'),
    anonymousId: text('anonymousId'),
    messageId: text('messageId'),
  }
}

/** Whether no client sent the event: its source is then an audience or a computed trait. */
export function isComputed(sourceId: string): boolean {
  return !sourceId.startsWith('src_')
}

/** What an event is called where it has one line: its name, or else its type. */
export function titleOf({ name, type }: Pick<EventSummary, 'name' | 'type'>): string {
  return name === null || name === '' ? type : name
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
