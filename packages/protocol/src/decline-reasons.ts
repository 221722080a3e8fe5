/** Why an event makes no delivery to a destination, and how it would, as docs/errors.md gives it. */
export interface DeclineReasonInfo {
  readonly meaning: string
  readonly help: string
}

/** Every reason for which the pipeline decides against a delivery. */
export const DECLINE_REASONS = {
  destination_disabled: {
    meaning: 'The destination was off when the event came.',
    help: 'Turn it on with PATCH {"enabled": true}: later events are delivered. This one can be replayed, with includeDeclined.',
  },
  integrations: {
    meaning: "The call's own integrations excluded the destination.",
    help: 'Leave integrations out of the call, or set Webhooks, or the id of the destination, to true in it.',
  },
} as const satisfies Record<string, DeclineReasonInfo>

export type DeclineReason = keyof typeof DECLINE_REASONS
