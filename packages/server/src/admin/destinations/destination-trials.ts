import type { AcceptedEvent, Attempt, DeletionNotice, Destination, Event } from '@hookline/protocol'

/** What was, or would be, sent to one webhook, and what came of it. */
export interface Trial {
  readonly url: string
  /** With the values of static headers hidden. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `null` where nothing was sent. */
  readonly result: Pick<Attempt, 'startedAt' | 'durationMs' | 'timing'> | null
}

/** What is sent for a trial: an event that is kept, or a sample. */
export type TrialContent =
  AcceptedEvent | { readonly id: null; readonly event: Event | DeletionNotice }

/** Who sends something to all webhooks of a destination to see what they answer. */
export interface DestinationTrials {
  run(
    destination: Destination,
    content: TrialContent,
    options: { readonly dryRun: boolean },
  ): Promise<{ readonly deliveryId: string; readonly webhooks: readonly Trial[] }>
}
