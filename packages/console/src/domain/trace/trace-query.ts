import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../api/client.ts'
import type { LiveMessage } from '../../stream/live-messages.ts'
import { useLive } from '../../stream/use-live.ts'

/** An event with all decisions, deliveries and attempts. */
export type Trace = Awaited<ReturnType<typeof api.getEvent>>
export type Decision = Trace['decisions'][number]
export type TracedDelivery = Trace['deliveries'][number]
export type TracedWebhook = TracedDelivery['webhooks'][number]
export type TracedAttempt = TracedDelivery['attempts'][number]
export type WaitReason = NonNullable<TracedWebhook['waiting']>

/** How long messages are collected before a request: all messages about one attempt arrive together. */
const SETTLE_MS = 150
/** Changes that may end a wait. */
const RESOURCES: ReadonlySet<string | null> = new Set([
  null,
  'destinations',
  'deliveries',
  'replays',
])

export function traceQuery(id: string) {
  return queryOptions({
    queryKey: ['events', 'trace', id],
    queryFn: ({ signal }) => api.getEvent(id, { signal }),
  })
}

/** Refetches the trace on activity of its event, and on changes that may end a wait. */
export function useTraceUpdates(trace: Trace): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const refetchSoon = (): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      void client.invalidateQueries({ queryKey: ['events', 'trace', trace.id] })
    }, SETTLE_MS)
  }
  const pass = (messages: readonly LiveMessage[]): void => {
    if (messages.some((each) => isAbout(each, trace.id))) refetchSoon()
  }
  useLive('activity', pass, isOpen(trace))
  useLive('changes', pass)
}

function isAbout(message: LiveMessage, eventId: string): boolean {
  if (message.kind === 'change') return RESOURCES.has(message.resource)
  return message.kind === 'gap' || ('eventId' in message && message.eventId === eventId)
}

/** Whether the event has unfinished work. */
function isOpen({ decisions, deliveries }: Pick<Trace, 'decisions' | 'deliveries'>): boolean {
  return (
    decisions.some(({ decision }) => decision === 'pending') ||
    deliveries.some(({ webhooks, state }) =>
      [state, ...webhooks.map((part) => part.state)].some(
        (each) => each === 'pending' || each === 'held',
      ),
    )
  )
}
