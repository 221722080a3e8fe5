/** One kind of log line. `help` is the operator's next step. */
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

const DISK = 'Check free disk space, disk health, and `/readyz`.'
const REPORT = 'This is a bug in Hookline: report it with this line.'

/** All log events: the field `msg` of a line is the name. docs/reference/log-events.md is generated from this table. */
export const LOG_EVENTS = {
  'service.listening': info(
    'The service is running. The line contains its version, addresses, data folder and non-default settings, without secrets.',
  ),
  'service.stopping': info(
    'A signal requested a stop. Requests and attempts in flight finish first.',
    'Wait up to `shutdownTimeout`. A second signal stops the service immediately.',
  ),
  'service.stopped': info('The service has stopped because of the signal in `reason`.'),
  'service.crashed': fatal(
    'The process exited because of an unhandled error.',
    `Restart it. No accepted event is lost. ${REPORT}`,
  ),
  'log.lines_dropped': warn(
    'A log event exceeded `logLinesPerMinute`. `lines` is the number of omitted lines.',
    'Check the lines of this event that were written. The metrics are not affected.',
  ),
  'log.lines_lost': error(
    'Stderr was not writable for a while. `lines` is the number of lost lines.',
    'Check the disk that stores the log, or the program that reads the pipe.',
  ),

  'telemetry.export_failed': warn(
    'Spans or metrics could not be sent to the collector. Nothing else is affected. The line contains the `signal`, the `reason`, and the number of failed exports. Logged at most once a minute.',
    'Check `OTEL_EXPORTER_OTLP_ENDPOINT`, and that the collector accepts OTLP over HTTP.',
  ),
  'telemetry.variable_ignored': warn(
    'An OpenTelemetry environment variable has an unsupported value, so its default is used.',
    'Correct the value: see [traces](../guides/traces.md#variables).',
  ),

  'inspector.failed': error(
    'The inspector could not accept a request. The attempt is retried.',
    REPORT,
  ),

  'webhook.failing': warn(
    'A webhook has started failing. The line contains the class and the error of the failed attempt.',
    'Attempts are retried. If the failures last more than a few minutes, contact the owner of the receiver.',
  ),
  'webhook.still_failing': warn(
    'Summary of the last minute of a failing webhook: attempts, failures by class, and the last error. Logged at most once a minute, for the 20 webhooks with the most failures.',
    '`hookline deliveries failures` shows the failures in groups, each with a remedy. `hookline destinations test` shows the response.',
  ),
  'webhook.others_failing': warn(
    'More than 20 webhooks failed in the last minute. This line summarises the rest.',
    'This many failures suggest a shared cause: the network, the name server, or the egress proxy.',
  ),
  'webhook.breaker_opened': warn(
    'Most attempts to a webhook are failing, so its deliveries wait while single attempts probe it. At most one line per minute for each webhook.',
    'Contact the owner of the receiver. Once it works again, the backlog is sent automatically. To retry immediately, use `hookline destinations close-breaker`.',
  ),
  'webhook.breaker_closed': info(
    'A webhook whose breaker was open is responding again, or the breaker was closed manually. The backlog is sent, slowly at first.',
  ),
  'webhook.recovered': info(
    'A webhook that was failing has accepted deliveries for a minute without a failure.',
    '`hookline replay` resends deliveries that expired or were rejected in the meantime.',
  ),
  'webhook.paused': warn(
    'Hookline has paused a webhook, and holds its deliveries. `reason` is `webhook_gone` (it responded with 410 three times in a row), `disabled_by_receiver` (it responded with `webhook-delivery: disable`), or `url_forbidden` (its address or port is not allowed).',
    '`webhook_gone`: correct the URL, remove the webhook, or run `hookline destinations resume`. `disabled_by_receiver`: ask the owner of the receiver, then resume the destination, or remove the webhook. `url_forbidden`: correct the URL, or allow the address with `allowedNetworks` or the port with `allowedPorts`, and restart.',
  ),
  'attempt.failed': debug(
    'One failed attempt, with all details. Logged only with `--log-level debug`.',
    'See [errors](errors.md) for the class.',
  ),
  'attempt.crashed': error(
    'A bug in Hookline stopped an attempt. It counts as rejected for this webhook.',
    `${REPORT} \`hookline deliveries retry\` retries the delivery.`,
  ),
  'delivery.failed': error(
    'A bug in Hookline stopped a delivery in memory. It is sent again, at the latest after a restart.',
    REPORT,
  ),
  'quarantine.added': error(
    'A delivery or event was quarantined, because it is corrupted or was stopped by a bug.',
    'If `reason` does not name corrupted data, report it as a bug in Hookline, with this line. `hookline deliveries retry` retries one delivery.',
  ),
  'source.unknown': error(
    'Events from an unknown source were quarantined. `events` is the number since the previous line of this kind.',
    'Check that no other installation uses the same NATS servers with the same prefix, and that the database is the correct one.',
  ),
  'backlog.read_failed': warn(
    'The backlog of a webhook could not be read. Hookline tries again after a second.',
    DISK,
  ),
  'replay.finished': info(
    'A replay has finished. `requeued` is the number of deliveries that it queued, and `scanned` the number of rows that it scanned.',
  ),
  'replay.failed': warn('A step of a replay failed. It is retried.', DISK),

  'request.rejected': warn(
    'Requests or calls were rejected with the error code in `code`. At most one line per minute for each code and source.',
    'See [errors](errors.md) for the code.',
  ),
  'write_key.rejected': warn(
    'Requests had no write key, an unknown one, or the key of a disabled source. `keyPrefix` is the beginning of the key; `null` stands for all keys after the first 20 in a minute.',
    'Find the application that sends the key. `hookline sources list` shows all valid keys.',
  ),
  'token.rejected': warn(
    'A client sent invalid tokens to the management API. `client: null` stands for all clients after the first 20 in a minute.',
    'If you do not recognise the client, block its access to the management API, for example with `adminPort`.',
  ),
  'request.failed': error('A request got 500 because of an error in Hookline.', REPORT),
  'management_request.failed': error(
    'A request to the management API got 500 or 503.',
    `A 503 means that the database is unavailable. ${DISK} A 500 is a bug in Hookline: report it with this line.`,
  ),
  'ingest.overloaded': error(
    'Calls got 503 because they could not be stored: the disk is full, failing or too slow, a database file was moved or replaced, or, in a cluster, NATS is unavailable.',
    DISK,
  ),
  'ingest.body_memory_exhausted': error(
    'Requests got 503 because buffered request bodies reached `maxBufferedBodyBytes`.',
    'Look for clients that send slowly or that send large bodies. Raise `maxBufferedBodyBytes` if memory allows.',
  ),
  'live.stream_ended': warn(
    '`maxLiveStreams` was reached, so a live tail stream was closed to make room for a new one. The client of the closed stream had read nothing for 5 seconds (`unread`), or its token or session had at least two more streams than the token or session of the new stream (`other_reader`).',
    'Stop `hookline tail` commands that are not needed, or raise `maxLiveStreams`.',
  ),

  'deletion.failed': error(
    'A step of a deletion request failed. `failures` is the number of failures since the previous line. The step is retried within ten seconds; other deletions continue.',
    REPORT,
  ),
  'deletion.purged': info(
    'The events of the users in a deletion request are deleted, and the notices are queued.',
  ),
  'retention.removed': info(
    'Events that are older than `retention`, or beyond `retentionMaxBytes`, were removed.',
  ),
  'backup.finished': info('A client downloaded a backup. `bytes` is its size.'),
  'backup.stopped': warn(
    'A backup download was aborted because it exceeded `backupTimeout`, or because a deletion purged users. The client has no backup.',
    'Start the backup again. If `reason` names `backupTimeout`, raise it first.',
  ),
  'backup.copy_not_removed': warn(
    'The copy of the database for a backup could not be removed.',
    'Check the `copy-for-backup` folder in the data folder. The next start removes it.',
  ),
  'sync.finished': info(
    'A full sync of an audience or a computed trait has finished.',
    'If `missed` is not 0, report it as a bug in Hookline. The sync has corrected the values.',
  ),
  'sync.failed': error('A full sync has failed.', `${REPORT} The next sync runs within a day.`),

  'clock.jumped': warn(
    'The system clock jumped. Deliveries are not affected.',
    'Check the system time. For an hour after a forward jump, retention ignores the jump.',
  ),
  'clock.ahead_of_data': warn(
    'At startup, the clock was more than a day ahead of the newest event.',
    'Check the system time. For an hour, retention measures the age of events by the newest event instead of the clock.',
  ),
  'corruption.found': error(
    'The database was corrupted. `description` lists the losses.',
    'Check the disk. `hookline doctor` lists all corruption found. Restore a backup if too much is lost.',
  ),
  'open_files.limited': warn(
    'The open file limit is too low for `maxInFlight` attempts and the same number of clients. Fewer attempts run in parallel.',
    'Raise `ulimit -n` and `maxOpenFiles` to the number in `wanted`, or lower `maxInFlight`.',
  ),
  'lock_file.emptied': warn(
    'The lock file in the data folder was unreadable and was emptied.',
    'Check the disk.',
  ),
  'key_change.row_skipped': error(
    'A row could not be decrypted during a key change. It is unchanged.',
    'Check the disk, and set the affected secret or webhook URL again.',
  ),
  'audit.unreadable': error(
    'Entries in the audit log could not be decrypted.',
    'Check the disk, and that the encryption key is correct.',
  ),
  'backend.unavailable': warn(
    'Cannot write to the database: its disk is full, failing or too slow, or, in a cluster, PostgreSQL is unavailable. Writes are retried.',
    DISK,
  ),
  'worker.waiting': warn(
    'A worker has stopped because the database or, in a cluster, NATS is unavailable. Hookline will restart it.',
    DISK,
  ),
  'worker.failed': error('A worker has failed. Hookline will restart it.', REPORT),
  'worker.suspended': error(
    'A non-critical worker failed five times within a minute. Hookline will restart it after ten minutes.',
    `Until then, the work of the worker named in \`worker\` is suspended: for example updating profiles, syncs, deletions, replays, retention or notices. ${REPORT}`,
  ),
  'worker.failed_permanently': fatal(
    'A critical worker failed five times within a minute, so the process exits.',
    `Restart it. No accepted event is lost. ${REPORT}`,
  ),
  'thread.failed': error(
    'A thread has exited. Hookline restarts it. Unfinished deliveries are continued; clients retry unfinished requests.',
    'For `ERR_WORKER_OUT_OF_MEMORY`, give the service more memory. If it happens more than once, report it as a bug in Hookline, with this line.',
  ),
  'thread.failed_permanently': fatal(
    'A thread has failed five times within a minute, so the process exits.',
    `Restart it. No accepted event is lost. ${REPORT}`,
  ),
  'accounting.imbalance': error(
    'Events or deliveries were lost or counted twice. The line shows where.',
    'If `messages` were lost, NATS lost them: set `sync_interval: always`. Otherwise, report it as a bug in Hookline, with this line. Events lost in memory (`pipeline`, `lanes`) are sent again after a restart.',
  ),
  'ack.failed': warn(
    'The log could not record that events were processed. They are processed again after a restart.',
    DISK,
  ),
  'statistics.write_failed': warn(
    'Statistics could not be stored. Hookline tries again within a minute.',
    DISK,
  ),
  'write_key.last_use_write_failed': warn('The last use of a write key could not be stored.', DISK),
  'token.last_use_write_failed': warn('The last use of a token could not be stored.', DISK),
  'suppression.count_failed': warn(
    'Calls for suppressed users were dropped, but could not be counted.',
    DISK,
  ),
} satisfies Record<string, LogEvent>

/** The names of the events at a level. */
export type LogEventName<Level extends LogEvent['level'] = LogEvent['level']> = {
  [Name in keyof typeof LOG_EVENTS]: (typeof LOG_EVENTS)[Name]['level'] extends Level ? Name : never
}[keyof typeof LOG_EVENTS]

function eventOf<Level extends LogEvent['level']>(level: Level) {
  return (meaning: string, help = 'No action needed.') => ({ level, meaning, help })
}
