/** One kind of log lines. `help` says what the operator should do. */
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

/**
 * Every event of the log. The field `msg` of a line is the name. The methods of `Logger` accept only these names, each at
 * its level, and docs/reference/log-events.md is generated from this table.
 */
export const LOG_EVENTS = {
  'service.listening': info(
    'The service runs. The line has its version, its addresses, its data folder, and `settings`: those that differ from their default, without secrets.',
  ),
  'service.stopping': info(
    'A signal has asked the service to stop. It finishes requests and attempts in flight.',
    'Wait up to `shutdownTimeout`. The same signal again stops at once.',
  ),
  'service.stopped': info('The service has stopped because of the signal in `reason`.'),
  'service.crashed': fatal(
    'An error that no part of the service handles ended the process.',
    `Start it again: nothing that was accepted is lost. ${REPORT}`,
  ),
  'log.lines_left_out': warn(
    'Within a minute, the event in `event` had more lines than `logLinesPerMinute`. So many `lines` were left out.',
    'Look at the lines of this event that were written. The metrics count everything.',
  ),
  'log.lines_lost': error(
    'What stderr is connected to took no lines for a while. So many `lines` are missing here.',
    'Check the disk that the log is on, or the program that reads the pipe.',
  ),

  'inspector.failed': error(
    'The inspector could not take a request. The attempt is repeated.',
    REPORT,
  ),

  'webhook.failing': warn(
    'A webhook that worked has failed an attempt. The line has the class and the error.',
    'Nothing while it lasts for minutes: the attempts are repeated. Then tell the owner of the receiver.',
  ),
  'webhook.still_failing': warn(
    'What a failing webhook did in the last minute: attempts, failures by class, and the last error. It comes only after a minute with a failure. The 20 webhooks with the most failures have lines.',
    '`hookline deliveries failures` shows the failures in groups, each with a remedy. `hookline destinations test` shows the response.',
  ),
  'webhook.others_failing': warn(
    'More than 20 webhooks failed in the last minute. The line has the sums of the others.',
    'So many failures together suggest a cause that they share: the network, the name server, or the egress proxy.',
  ),
  'webhook.breaker_opened': warn(
    'Most attempts at a webhook fail, so its deliveries wait, and one attempt at a time probes it. At most one line in a minute for each webhook: where it is late, it comes at the end of the minute.',
    'Tell the owner of the receiver. Afterwards the deliveries that wait are sent by themselves, or at once with `hookline destinations close-breaker`.',
  ),
  'webhook.breaker_closed': info(
    'A webhook whose breaker was open responds again, or a person has closed the breaker. What waits is sent, slowly at first.',
  ),
  'webhook.recovered': info(
    'A webhook that was failing has taken deliveries for a minute, and failed none.',
    '`hookline replay` sends again what has expired or was rejected meanwhile.',
  ),
  'webhook.paused': warn(
    'Hookline has paused a webhook, and holds its deliveries. `reason` is `gone` (it responded 410 three times), or `forbidden` (its address or port is not allowed).',
    'Correct its URL, or allow the address with `allowedNetworks` or `allowedPorts`. Then `hookline destinations resume`.',
  ),
  'attempt.failed': debug(
    'One failed attempt, with everything that is known of it. Only with `--log-level debug`.',
    'See [errors](errors.md) for the class.',
  ),
  'attempt.fault': error(
    'A bug in Hookline stopped an attempt. The delivery is rejected by this webhook.',
    `${REPORT} \`hookline deliveries retry\` retries the delivery.`,
  ),
  'delivery.failed': error(
    'A bug in Hookline stopped a delivery in memory. It comes again after a restart.',
    REPORT,
  ),
  'quarantine.added': error(
    'A delivery or event that is damaged, or that a bug stopped, is in quarantine.',
    `${REPORT} \`hookline deliveries retry\` retries one delivery.`,
  ),
  'source.unknown': error(
    'Events of a source that this service does not know are in quarantine. `events` is their number since the last such line.',
    'Check that no other installation uses the same NATS servers with the same prefix, and that the database is the right one.',
  ),
  'parked.failed': warn(
    'The deliveries that wait for a webhook could not be read. It is tried again a second later.',
    DISK,
  ),
  'replay.finished': info(
    'A replay has made its deliveries pending again: `requeued` of `scanned` events.',
  ),
  'replay.failed': warn('A step of a replay failed. It is tried again.', DISK),

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
    'Requests got 503 because bodies that have arrived in part use `maxPartialBodyBytes`.',
    'Look for clients that send slowly or that send large bodies. Raise `maxPartialBodyBytes` if there is memory.',
  ),
  'live.stream_ended': warn(
    'A stream of the live tail was ended: its reader was too slow, or another token needed the place.',
    'Close `hookline tail` where it is not needed, or raise `maxLiveStreams`.',
  ),

  'deletion.failed': error(
    'A step of a deletion request has failed `failures` times since the last such line. It is tried again within ten seconds, and the other requests go on.',
    REPORT,
  ),
  'deletion.done': info(
    'The events of the users in a deletion request are gone, and the notices are on their way.',
  ),
  'retention.removed': info(
    'Events that are older than `retention`, or beyond `retentionMaxBytes`, were removed.',
  ),
  'backup.finished': info('A client has downloaded a backup of so many `bytes`.'),
  'backup.stopped': warn(
    'The download of a backup was ended. The client has no backup.',
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
    'The database was damaged. The line says what is lost.',
    'Check the disk. `hookline doctor` shows all damages. Restore a backup if too much is lost.',
  ),
  'open_files.tight': warn(
    'The service may open fewer files than `maxInFlight` attempts and as many clients need. It makes fewer attempts at once.',
    'Raise `ulimit -n` and `maxOpenFiles` to the number in `wanted`, or lower `maxInFlight`.',
  ),
  'lock_file.emptied': warn(
    'The lock file of the data folder was not readable, and was emptied.',
    'Check the disk.',
  ),
  'key_change.row_skipped': error(
    'While the encryption key was changed, a row could not be decrypted. It stays as it is.',
    'Check the disk. Enter the secret of the row again.',
  ),
  'audit.unreadable': error(
    'Entries of the audit log could not be decrypted.',
    'Check the disk, and that the encryption key is the right one.',
  ),
  'backend.unavailable': warn(
    'The database could not be written: the disk is full, failing or too slow. The writes are repeated.',
    DISK,
  ),
  'worker.waiting': warn(
    'A worker has stopped because the database is unavailable. It is started again.',
    DISK,
  ),
  'worker.failed': error('A worker has failed. It is started again.', REPORT),
  'worker.suspended': error(
    'A worker that neither calls nor deliveries need has failed five times within a minute. It is started again ten minutes later.',
    `Until then, the work that \`worker\` names waits, such as profiles, syncs, deletions, replays, retention or notices. ${REPORT}`,
  ),
  'worker.given_up': fatal(
    'A worker that calls or deliveries need has failed five times within a minute, so the process ends.',
    `Start it again: nothing that was accepted is lost. ${REPORT}`,
  ),
  'thread.failed': error(
    'A thread has ended, and its work with it. It is started again, and does the work that it left.',
    `Nothing while it happens once. ${REPORT}`,
  ),
  'thread.given_up': fatal(
    'A thread has failed five times within a minute, so the process ends.',
    `Start it again: nothing that was accepted is lost. ${REPORT}`,
  ),
  'accounting.imbalance': error(
    'Events or deliveries were lost, or ended twice. The line says where.',
    `${REPORT} What was lost in memory (\`pipeline\`, \`lanes\`) is sent again after a restart. \`messages\` were lost by NATS: set \`sync_interval: always\`.`,
  ),
  'ack.failed': warn(
    'The log could not note that events are done. They are handled again after a restart.',
    DISK,
  ),
  'statistics.not_kept': warn('The statistics of a minute could not be stored.', DISK),
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
