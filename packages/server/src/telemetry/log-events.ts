/** One kind of log lines. `help` says what the operator should do. */
export interface LogEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  readonly meaning: string
  readonly help: string
}

const NOTHING = 'Nothing.'
const DISK = 'Check the free space and the health of the disk, and `/readyz`.'
const REPORT = 'This is a bug in Hookline: report it with this line.'

/**
 * Every event of the log. The field `msg` of a line is the name. The methods of `Logger` accept only these names, each at
 * its level, and docs/reference/log-events.md is generated from this table.
 */
export const LOG_EVENTS = {
  'service.listening': {
    level: 'info',
    meaning:
      'The service runs. The line has its version, its addresses, its data folder, and `settings`: those that differ from their default, without secrets.',
    help: NOTHING,
  },
  'service.stopping': {
    level: 'info',
    meaning: 'A signal has asked the service to stop. It finishes requests and attempts in flight.',
    help: 'Wait up to `shutdownTimeout`. The same signal again stops at once.',
  },
  'service.stopped': {
    level: 'info',
    meaning: 'The service has stopped because of the signal in `reason`.',
    help: NOTHING,
  },
  'service.crashed': {
    level: 'fatal',
    meaning: 'An error that no part of the service handles ended the process.',
    help: `Start it again: nothing that was accepted is lost. ${REPORT}`,
  },
  'log.lines_left_out': {
    level: 'warn',
    meaning:
      'Within a minute, the event in `event` had more lines than `logLinesPerMinute`. So many `lines` were left out.',
    help: 'Look at the lines of this event that were written. The metrics count everything.',
  },
  'log.lines_lost': {
    level: 'error',
    meaning:
      'What stderr is connected to took no lines for a while. So many `lines` are missing here.',
    help: 'Check the disk that the log is on, or the program that reads the pipe.',
  },

  'inspector.failed': {
    level: 'error',
    meaning: 'The inspector could not take a request. The attempt is repeated.',
    help: REPORT,
  },

  'webhook.failing': {
    level: 'warn',
    meaning: 'A webhook that worked has failed an attempt. The line has the class and the error.',
    help: 'Nothing while it lasts for minutes: the attempts are repeated. Then tell the owner of the receiver.',
  },
  'webhook.still_failing': {
    level: 'warn',
    meaning:
      'What a failing webhook did in the last minute: attempts, failures by class, and the last error. It comes only after a minute with a failure. The 20 webhooks with the most failures have lines.',
    help: '`hookline deliveries failures` shows the failures in groups, each with a remedy. `hookline destinations test` shows the response.',
  },
  'webhook.others_failing': {
    level: 'warn',
    meaning:
      'More than 20 webhooks failed in the last minute. The line has the sums of the others.',
    help: 'So many failures together suggest a cause that they share: the network, the name server, or the egress proxy.',
  },
  'webhook.breaker_opened': {
    level: 'warn',
    meaning:
      'Most attempts at a webhook fail, so its deliveries wait, and one attempt at a time probes it. At most one line in a minute for each webhook: where it is late, it comes at the end of the minute.',
    help: 'Tell the owner of the receiver. Afterwards the deliveries that wait are sent by themselves, or at once with `hookline destinations close-breaker`.',
  },
  'webhook.breaker_closed': {
    level: 'info',
    meaning:
      'A webhook whose breaker was open responds again, or a person has closed the breaker. What waits is sent, slowly at first.',
    help: NOTHING,
  },
  'webhook.recovered': {
    level: 'info',
    meaning: 'A webhook that was failing has taken deliveries for a minute, and failed none.',
    help: '`hookline replay` sends again what has expired or was rejected meanwhile.',
  },
  'webhook.paused': {
    level: 'warn',
    meaning:
      'A webhook is paused, and its deliveries are held. `reason` is `gone` (it responded 410 three times), `forbidden` (its address or port is not allowed), or `operator`.',
    help: 'Correct its URL, or allow the address with `allowedNetworks` or `allowedPorts`. Then `hookline destinations resume`.',
  },
  'webhook.resumed': {
    level: 'info',
    meaning: 'A webhook is no longer paused. What was held is sent.',
    help: NOTHING,
  },
  'destination.paused': {
    level: 'info',
    meaning: 'A destination is paused: its deliveries are held.',
    help: '`GET /api/v1/audit` says who paused it. `hookline destinations resume` ends it.',
  },
  'destination.resumed': {
    level: 'info',
    meaning: 'A destination is no longer paused. What was held is sent.',
    help: NOTHING,
  },
  'destination.disabled': {
    level: 'info',
    meaning: 'A destination was disabled. Events that arrive now are not delivered to it.',
    help: '`GET /api/v1/audit` says who did it. `hookline replay --include-declined` sends such events later.',
  },
  'destination.enabled': {
    level: 'info',
    meaning: 'A destination was enabled.',
    help: NOTHING,
  },
  'attempt.failed': {
    level: 'debug',
    meaning:
      'One failed attempt, with everything that is known of it. Only with `--log-level debug`.',
    help: 'See [errors](errors.md) for the class.',
  },
  'attempt.fault': {
    level: 'error',
    meaning: 'A bug in Hookline stopped an attempt. The delivery is rejected by this webhook.',
    help: `${REPORT} \`hookline deliveries retry\` retries the delivery.`,
  },
  'delivery.failed': {
    level: 'error',
    meaning: 'A bug in Hookline stopped a delivery in memory. It comes again after a restart.',
    help: REPORT,
  },
  'quarantine.added': {
    level: 'error',
    meaning: 'A delivery or event that is damaged, or that a bug stopped, is in quarantine.',
    help: `${REPORT} \`hookline deliveries retry\` retries one delivery.`,
  },
  'source.unknown': {
    level: 'error',
    meaning:
      'Events of a source that this service does not know are in quarantine. `events` is their number since the last such line.',
    help: 'Check that no other installation uses the same NATS servers with the same prefix, and that the database is the right one.',
  },
  'parked.failed': {
    level: 'warn',
    meaning:
      'The deliveries that wait for a webhook could not be read. It is tried again a second later.',
    help: DISK,
  },
  'replay.finished': {
    level: 'info',
    meaning: 'A replay has made its deliveries pending again: `requeued` of `scanned` events.',
    help: NOTHING,
  },
  'replay.failed': {
    level: 'warn',
    meaning: 'A step of a replay failed. It is tried again.',
    help: DISK,
  },

  'request.refused': {
    level: 'warn',
    meaning:
      'Calls were refused with the code in `code`. One line a minute for each code and source.',
    help: 'See [errors](errors.md) for the code.',
  },
  'write_key.refused': {
    level: 'warn',
    meaning:
      'Requests had a write key that is not known or not enabled. `keyPrefix` has its first characters.',
    help: 'Find the application that sends it. `hookline sources list` shows the keys that are valid.',
  },
  'token.refused': {
    level: 'warn',
    meaning: 'A client has sent wrong tokens to the management API.',
    help: 'If you do not know the client, close its way to the management API, for example with `adminPort`.',
  },
  'request.failed': {
    level: 'error',
    meaning: 'A request got 500 because of an error in Hookline.',
    help: REPORT,
  },
  'management_request.failed': {
    level: 'error',
    meaning: 'A request to the management API got 500 or 503.',
    help: `With 503: ${DISK} With 500: ${REPORT}`,
  },
  'log.overloaded': {
    level: 'error',
    meaning:
      'Calls got 503 because they could not be stored: the disk is full, failing or too slow, or a database file was moved or replaced.',
    help: DISK,
  },
  'bodies.overloaded': {
    level: 'error',
    meaning: 'Requests got 503 because bodies that have arrived in part use `maxPartialBodyBytes`.',
    help: 'Look for clients that send slowly or that send large bodies. Raise `maxPartialBodyBytes` if there is memory.',
  },
  'live.stream_ended': {
    level: 'warn',
    meaning:
      'A stream of the live tail was ended: its reader was too slow, or another token needed the place.',
    help: 'Close `hookline tail` where it is not needed, or raise `maxLiveStreams`.',
  },

  'deletion.failed': {
    level: 'error',
    meaning:
      'A step of a deletion request has failed `failures` times since the last such line. It is tried again within ten seconds, and the other requests go on.',
    help: REPORT,
  },
  'deletion.done': {
    level: 'info',
    meaning:
      'The events of the users in a deletion request are gone, and the notices are on their way.',
    help: NOTHING,
  },
  'retention.removed': {
    level: 'info',
    meaning: 'Events that are older than `retention`, or beyond `retentionMaxBytes`, were removed.',
    help: NOTHING,
  },
  'backup.finished': {
    level: 'info',
    meaning: 'A client has downloaded a backup of so many `bytes`.',
    help: NOTHING,
  },
  'backup.stopped': {
    level: 'warn',
    meaning: 'The download of a backup was ended. The client has no backup.',
    help: 'Make the backup again. If it took too long, raise `backupTimeout`.',
  },
  'backup.copy_not_removed': {
    level: 'warn',
    meaning: 'The copy of the database for a backup could not be removed.',
    help: 'Check the folder `copy-for-backup` in the data folder. The next start removes it.',
  },
  'sync.done': {
    level: 'info',
    meaning: 'A full sync of an audience or a computed trait has ended.',
    help: 'If `missed` is not 0: report it, this is a bug in Hookline. The sync has corrected it.',
  },
  'sync.failed': {
    level: 'error',
    meaning: 'A full sync has failed.',
    help: `${REPORT} The next sync comes within a day.`,
  },

  'clock.jumped': {
    level: 'warn',
    meaning: 'The clock of the machine was set. No delivery ends or waits longer because of it.',
    help: 'Check the time of the machine. For an hour, nothing is removed because of its age.',
  },
  'clock.ahead_of_data': {
    level: 'warn',
    meaning: 'At the start, the clock was more than a day ahead of the newest event.',
    help: 'Check the time of the machine. For an hour, nothing is removed because of its age.',
  },
  'damage.found': {
    level: 'error',
    meaning: 'The database was damaged. The line says what is lost.',
    help: 'Check the disk. `hookline doctor` shows all damages. Restore a backup if too much is lost.',
  },
  'open_files.tight': {
    level: 'warn',
    meaning:
      'The service may open fewer files than `maxInFlight` attempts and as many clients need. It makes fewer attempts at once.',
    help: 'Raise `ulimit -n` and `maxOpenFiles` to the number in `wanted`, or lower `maxInFlight`.',
  },
  'lock_file.emptied': {
    level: 'warn',
    meaning: 'The lock file of the data folder was not readable, and was emptied.',
    help: 'Check the disk.',
  },
  'key_change.row_skipped': {
    level: 'error',
    meaning:
      'While the encryption key was changed, a row could not be decrypted. It stays as it is.',
    help: 'Check the disk. Enter the secret of the row again.',
  },
  'audit.unreadable': {
    level: 'error',
    meaning: 'Entries of the audit log could not be decrypted.',
    help: 'Check the disk, and that the encryption key is the right one.',
  },
  'backend.unavailable': {
    level: 'warn',
    meaning:
      'The database could not be written: the disk is full, failing or too slow. The writes are repeated.',
    help: DISK,
  },
  'worker.waiting': {
    level: 'warn',
    meaning: 'A worker has stopped because the database is unavailable. It is started again.',
    help: DISK,
  },
  'worker.failed': {
    level: 'error',
    meaning: 'A worker has failed. It is started again.',
    help: REPORT,
  },
  'worker.suspended': {
    level: 'error',
    meaning:
      'A worker that neither calls nor deliveries need has failed five times within a minute. It is started again ten minutes later.',
    help: `Until then, the work that \`worker\` names waits, such as profiles, syncs, deletions, replays, retention or notices. ${REPORT}`,
  },
  'worker.given_up': {
    level: 'fatal',
    meaning:
      'A worker that calls or deliveries need has failed five times within a minute, so the process ends.',
    help: `Start it again: nothing that was accepted is lost. ${REPORT}`,
  },
  'thread.failed': {
    level: 'error',
    meaning:
      'A thread has ended, and its work with it. It is started again, and does the work that it left.',
    help: `Nothing while it happens once. ${REPORT}`,
  },
  'thread.given_up': {
    level: 'fatal',
    meaning: 'A thread has failed five times within a minute, so the process ends.',
    help: `Start it again: nothing that was accepted is lost. ${REPORT}`,
  },
  'accounting.imbalance': {
    level: 'error',
    meaning: 'Events or deliveries were lost, or ended twice. The line says where.',
    help: `${REPORT} What was lost in memory (\`pipeline\`, \`lanes\`) is sent again after a restart.`,
  },
  'ack.failed': {
    level: 'warn',
    meaning: 'The log could not note that events are done. They are handled again after a restart.',
    help: DISK,
  },
  'statistics.not_kept': {
    level: 'warn',
    meaning: 'The statistics of a minute could not be stored.',
    help: DISK,
  },
  'key_use.not_kept': {
    level: 'warn',
    meaning: 'The time of the last use of a write key could not be stored.',
    help: DISK,
  },
  'token.last_use_not_kept': {
    level: 'warn',
    meaning: 'The time of the last use of a token could not be stored.',
    help: DISK,
  },
  'left_out.not_counted': {
    level: 'warn',
    meaning: 'Calls of suppressed users were left out, but could not be counted.',
    help: DISK,
  },
} as const satisfies Record<string, LogEvent>

/** The names of the events of a level. */
export type LogEventName<Level extends LogEvent['level'] = LogEvent['level']> = {
  [Name in keyof typeof LOG_EVENTS]: (typeof LOG_EVENTS)[Name]['level'] extends Level ? Name : never
}[keyof typeof LOG_EVENTS]
