export interface EventSummary {
  readonly type: string
  /** The name of the event, page or screen, or the key of the computed trait. */
  readonly name: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
  readonly messageId: string | null
}

export function summaryOf(
  event: Readonly<Record<string, unknown>>,
  hasOrigin: boolean,
): EventSummary {
  const text = (name: string): string | null => {
    const value = event[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const key = hasOrigin ? Object.keys((event['traits'] as object | undefined) ?? {})[0] : undefined
  return {
    type: text('type') ?? 'unknown',
    name: text('event') ?? text('name') ?? key ?? null,
    userId: text('userId'),
    anonymousId: text('anonymousId'),
    messageId: text('messageId'),
  }
}

/** Whether the event comes from an audience or a computed trait. */
export function isComputed(sourceId: string): boolean {
  return !sourceId.startsWith('src_')
}

export function titleOf({ name, type }: Pick<EventSummary, 'name' | 'type'>): string {
  return name === null || name === '' ? type : name
}
