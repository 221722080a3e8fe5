/** One kind of log line. `help` tells the operator what to do. */
export interface LogEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  readonly meaning: string
  readonly help: string
}

const debug = eventOf('debug')
const info = eventOf('info')
const warn = eventOf('warn')
const error = eventOf('error')
const fatal = eventOf('fatal')

const DISK = 'Check the free space and the health of the disk, and `/readyz`.'
const REPORT = 'This is a bug in Hookline: report it with this line.'

/** All log events: the field `msg` of a line is the name. docs/reference/log-events.md is generated from this table. */
export const LOG_EVENTS = {
  'service.listening': info(
    'The service runs. The line has its version, addresses, data folder, and the settings that differ from their default, without secrets.',
  ),
  'service.stopping': info(
    'A signal requested a stop. Requests and attempts in flight finish first.',
    'Wait up to `shutdownTimeout`. The same signal again stops at once.',
  ),
  'service.stopped': info('The service has stopped because of the signal in `reason`.'),
  'service.crashed': fatal(
    'An unhandled error ended the process.',
    `Start it again: nothing that was accepted is lost. ${REPORT}`,
  ),
  'log.lines_left_out': warn(
    'An event exceeded `logLinesPerMinute`. `lines` is the number of omitted lines.',
    'Look at the lines of this event that were written. The metrics count everything.',
  ),
  'log.lines_lost': error(
    'Standard error accepted no lines for a while. `lines` is the number of lost lines.',
    'Check the disk that the log is on, or the program that reads the pipe.',
  ),

  'inspector.failed': error(
    'The inspector could not take a request. The attempt is repeated.',
    REPORT,
  ),

  'webhook.failing': warn(
    'A webhook that worked has failed an attempt. The line has the class and the error.',
    'Attempts are retried. If it lasts for more than minutes, contact the owner of the receiver.',
  ),
  'webhook.still_failing': warn(
    'Summary of a failing webhook in the last minute: attempts, failures by class, and the last error. Written after a minute with a failure, for the 20 webhooks with the most failures.',
    '`hookline deliveries failures` shows the failures in groups, each with a remedy. `hookline destinations test` shows the response.',
  ),
  'webhook.others_failing': warn(
    'More than 20 webhooks failed in the last minute. The line sums up the others.',
    'This many failures suggest a shared cause: the network, the name server, or the egress proxy.',
  ),
  'webhook.breaker_opened': warn(
    'Most attempts at a webhook fail, so its deliveries wait while single attempts probe it. At most one line a minute for each webhook.',
    'Contact the owner of the receiver. The backlog is then sent automatically, or at once with `hookline destinations close-breaker`.',
  ),
  'webhook.breaker_closed': info(
    'A webhook whose breaker was open responds again, or the breaker was closed manually. The backlog is sent, slowly at first.',
  ),
  'webhook.recovered': info(
    'A webhook that was failing has accepted deliveries for a minute without a failure.',
    '`hookline replay` resends deliveries that expired or were rejected meanwhile.',
  ),
  'webhook.paused': warn(
    'Hookline has paused a webhook, and holds its deliveries. `reason` is `gone` (it responded 410 three times), or `forbidden` (its address or port is not allowed).',
    'Correct its URL, or allow the address with `allowedNetworks` or `allowedPorts`. Then `hookline destinations resume`.',
  ),
  'attempt.failed': debug(
    'One failed attempt, with all details. Only with `--log-level debug`.',
    'See [errors](errors.md) for the class.',
  ),
  'attempt.fault': error(
    'A bug in Hookline stopped an attempt. The delivery is rejected by this webhook.',
    `${REPORT} \`hookline deliveries retry\` retries the delivery.`,
  ),
  'delivery.failed': error(
    'A bug in Hookline stopped a delivery in memory. It is retried after a restart.',
    REPORT,
  ),
  'quarantine.added': error(
    'A delivery or event that is corrupt, or that a bug stopped, is in quarantine.',
    `${REPORT} \`hookline deliveries retry\` retries one delivery.`,
  ),
  'source.unknown': error(
    'Events of an unknown source are in quarantine. `events` is their number since the last such line.',
    'Check that no other installation uses the same NATS servers with the same prefix, and that the database is the right one.',
  ),
  'parked.failed': warn(
    'The backlog of a webhook could not be read. It is retried a second later.',
    DISK,
  ),
  'replay.finished': info(
    'A replay has made its deliveries pending again: `requeued` of `scanned` events.',
  ),
  'replay.failed': warn('A step of a replay failed. It is retried.', DISK),

  'request.refused': warn(
    'Calls were refused with the code in `code`. One line a minute for each code and source.',
    'See [errors](errors.md) for the code.',
  ),
  'write_key.refused': warn(
    'Requests had a write key that is not known or not enabled. `keyPrefix` has its first characters.',
    'Find the application that sends it. `hookline sources list` shows the keys that are valid.',
  ),
  'token.refused': warn(
    'A client has sent wrong tokens to the management API.',
    'If you do not know the client, close its way to the management API, for example with `adminPort`.',
  ),
  'request.failed': error('A request got 500 because of an error in Hookline.', REPORT),
  'management_request.failed': error(
    'A request to the management API got 500 or 503.',
    `With 503: ${DISK} With 500: ${REPORT}`,
  ),
  'log.overloaded': error(
    'Calls got 503 because they could not be stored: the disk is full, failing or too slow, or a database file was moved or replaced.',
    DISK,
  ),
  'bodies.overloaded': error(
    'Requests got 503 because partially received bodies use all of `maxBufferedBodyBytes`.',
    'Look for clients that send slowly or that send large bodies. Raise `maxBufferedBodyBytes` if there is memory.',
  ),
  'live.stream_ended': warn(
    'A stream of the live tail was closed: its reader was too slow, or another token needed the slot.',
    'Close `hookline tail` where it is not needed, or raise `maxLiveStreams`.',
  ),

  'deletion.failed': error(
    'A step of a deletion request has failed `failures` times since the last such line. It is retried within ten seconds; other requests continue.',
    REPORT,
  ),
  'deletion.done': info(
    'The events of the users in a deletion request are deleted, and the notices are queued.',
  ),
  'retention.removed': info(
    'Events that are older than `retention`, or beyond `retentionMaxBytes`, were removed.',
  ),
  'backup.finished': info('A client has downloaded a backup of `bytes` bytes.'),
  'backup.stopped': warn(
    'The download of a backup was aborted. The client has no backup.',
    'Make the backup again. If it took too long, raise `backupTimeout`.',
  ),
  'backup.copy_not_removed': warn(
    'The copy of the database for a backup could not be removed.',
    'Check the folder `copy-for-backup` in the data folder. The next start removes it.',
  ),
  'sync.done': info(
    'A full sync of an audience or a computed trait has ended.',
    'If `missed` is not 0: report it, this is a bug in Hookline. The sync has corrected it.',
  ),
  'sync.failed': error('A full sync has failed.', `${REPORT} The next sync comes within a day.`),

  'clock.jumped': warn(
    'The clock of the machine was set. No delivery ends or waits longer because of it.',
    'Check the time of the machine. For an hour, nothing is removed because of its age.',
  ),
  'clock.ahead_of_data': warn(
    'At the start, the clock was more than a day ahead of the newest event.',
    'Check the time of the machine. For an hour, nothing is removed because of its age.',
  ),
  'damage.found': error(
    'The database was corrupt. `description` has the losses.',
    'Check the disk. `hookline doctor` shows all corruption. Restore a backup if too much is lost.',
  ),
  'open_files.tight': warn(
    'The open file limit is too low for `maxInFlight` attempts and as many clients. Fewer attempts are made at once.',
    'Raise `ulimit -n` and `maxOpenFiles` to the number in `wanted`, or lower `maxInFlight`.',
  ),
  'lock_file.emptied': warn(
    'The lock file of the data folder was not readable, and was emptied.',
    'Check the disk.',
  ),
  'key_change.row_skipped': error(
    'A row could not be decrypted during a key change. It stays as it is.',
    'Check the disk. Enter the secret of the row again.',
  ),
  'audit.unreadable': error(
    'Entries of the audit log could not be decrypted.',
    'Check the disk, and that the encryption key is the right one.',
  ),
  'backend.unavailable': warn(
    'The database could not be written: the disk is full, failing or too slow. Writes are retried.',
    DISK,
  ),
  'worker.waiting': warn(
    'A worker has stopped because the database is unavailable. It is restarted.',
    DISK,
  ),
  'worker.failed': error('A worker has failed. It is restarted.', REPORT),
  'worker.suspended': error(
    'A worker that neither calls nor deliveries need has failed five times within a minute. It is restarted ten minutes later.',
    `Until then, the work of \`worker\` waits, such as profiles, syncs, deletions, replays, retention or notices. ${REPORT}`,
  ),
  'worker.given_up': fatal(
    'A worker that calls or deliveries need has failed five times within a minute, so the process exits.',
    `Start it again: nothing that was accepted is lost. ${REPORT}`,
  ),
  'thread.failed': error(
    'A thread has exited. It is restarted, and continues its unfinished work.',
    `Nothing if it happens once. ${REPORT}`,
  ),
  'thread.given_up': fatal(
    'A thread has failed five times within a minute, so the process exits.',
    `Start it again: nothing that was accepted is lost. ${REPORT}`,
  ),
  'accounting.imbalance': error(
    'Events or deliveries were lost, or ended twice. The line says where.',
    `${REPORT} Events lost in memory (\`pipeline\`, \`lanes\`) are sent again after a restart. \`messages\` were lost by NATS: set \`sync_interval: always\`.`,
  ),
  'ack.failed': warn(
    'The log could not record that events are done. They are handled again after a restart.',
    DISK,
  ),
  'statistics.not_kept': warn(
    'Statistics could not be stored. It is tried again within a minute.',
    DISK,
  ),
  'key_use.not_kept': warn('The time of the last use of a write key could not be stored.', DISK),
  'token.last_use_not_kept': warn('The time of the last use of a token could not be stored.', DISK),
  'left_out.not_counted': warn(
    'Calls of suppressed users were left out, but could not be counted.',
    DISK,
  ),
} satisfies Record<string, LogEvent>

/** The names of the events of a level. */
export type LogEventName<Level extends LogEvent['level'] = LogEvent['level']> = {
  [Name in keyof typeof LOG_EVENTS]: (typeof LOG_EVENTS)[Name]['level'] extends Level ? Name : never
}[keyof typeof LOG_EVENTS]

function eventOf<Level extends LogEvent['level']>(level: Level) {
  return (meaning: string, help = 'Nothing.') => ({ level, meaning, help })
}
