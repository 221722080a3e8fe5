/** Why there is no decision for a destination, as the field `reason` of a trace and docs/reference/errors.md show it. */
export const UNDECIDED_REASONS = {
  destination_created_later: {
    meaning: 'The destination was created after the event arrived.',
    help: 'It receives later events. A test delivery with the id of this event sends it once.',
  },
} as const

/** What a trace says of the event itself, and not of one destination. */
export const TRACE_FINDINGS = {
  no_destination: {
    meaning: 'The source had no destination when the event arrived.',
    help: 'Create a destination of this source: it receives later events.',
  },
  source_removed: {
    meaning: 'The source was removed after the event arrived, with its destinations.',
    help: 'Send to another source.',
  },
  duplicates: {
    meaning: 'Later calls with the same messageId arrived within 24 hours. They were dropped.',
    help: 'Give each call a messageId of its own. A client that repeats a request sends the same one, and then this is right.',
  },
} as const
