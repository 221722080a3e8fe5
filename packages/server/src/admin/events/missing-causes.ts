/** A cause why an event is not there, and what to do about it, as docs/reference/errors.md shows it. */
interface MissingCauseInfo {
  readonly meaning: string
  readonly help: string
}

/** Why an event may not be there, the surest causes first: the order of the causes in a response. */
export const MISSING_CAUSES = {
  event_exists: {
    meaning: 'The event is there. Later calls with its messageId were dropped as duplicates.',
    help: 'Its trace shows what happened to it.',
  },
  other_source: {
    meaning: 'An event with this messageId arrived at another source.',
    help: 'Its trace shows what happened to it. Check the write key of the client.',
  },
  unknown_source: {
    meaning: 'There is no source, or none has this id.',
    help: 'Create a source, or give the id of an existing one.',
  },
  suppressed: {
    meaning: 'The user is suppressed: calls get a 200 and are not kept.',
    help: 'If the user agrees to new events, delete the suppression: later calls are then kept.',
  },
  deleted: {
    meaning: 'A deletion removed the events that the user had until then.',
    help: 'They cannot be restored. Later events of the user are kept, unless the user is suppressed.',
  },
  expired: {
    meaning: 'The event is older than the retention time, so it was removed.',
    help: 'Send it again, with another messageId. The setting retention keeps later events longer.',
  },
  source_disabled: {
    meaning: 'The source is disabled, so its calls are refused.',
    help: 'Enable the source. Then send the call again.',
  },
  source_silent: {
    meaning: 'No call with a write key of the source arrived in the last 24 hours.',
    help: 'Check the write key and the host in the client, and send a call by hand.',
  },
  refused: {
    meaning: 'Calls were refused in the last 24 hours.',
    help: 'Look up the code in the table of the ingestion API. Then send the call again.',
  },
  users_suppressed: {
    meaning: 'Calls of suppressed users got a 200 and were left out.',
    help: 'Ask again with the userId of the call. The list of suppressions has the users.',
  },
  deletions: {
    meaning: 'Deletions have removed events.',
    help: 'Ask again with the userId of the call. The list of deletions has the users.',
  },
  quarantined: {
    meaning:
      'Events or deliveries are in quarantine: a bug, damaged data or an unknown source stopped them.',
    help: 'See the lines quarantine.added and source.unknown of the log.',
  },
  not_sent: {
    meaning: 'No call with these ids reached this service, or its event was removed since.',
    help: 'Check that the client flushes before it exits, reports no error, and sends to this host.',
  },
} as const satisfies Record<string, MissingCauseInfo>

export type MissingCauseCode = keyof typeof MISSING_CAUSES

/** What this service knows that speaks for a cause. Times in milliseconds since the epoch. */
interface Evidence {
  /** How many calls, events, sources, or other things there are. */
  readonly count?: number
  readonly since?: number
  readonly lastAt?: number
  /** A code of the ingestion API. */
  readonly code?: string
  readonly eventId?: string
  readonly sourceId?: string
  readonly deletionId?: string
}

/** A cause that may apply. */
export interface MissingCause {
  readonly code: MissingCauseCode
  readonly evidence: Evidence
}
