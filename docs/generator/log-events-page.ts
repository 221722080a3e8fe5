import { LOG_EVENTS } from '../../packages/server/src/telemetry/log-events.ts'
import { code, page, plain, table } from './markdown.ts'

/** docs/reference/log-events.md: every event of the log, and what the operator should do. */
export function logEventsPage(): string {
  return page(
    '# Log events',
    'Hookline writes its log to stderr: one JSON object a line, or on a terminal a short line for people. The field `msg` is the name of the event, and stays the same in later versions. `level` is 20 for debug, 30 for info, 40 for warn, 50 for error and 60 for fatal. The setting [logLevel](config.md) says which levels are written.',
    'Lines about a destination have its name (`destination`), the name of its source (`source`), the host of the webhook (`webhook`) and the id (`destinationId`). No line has a payload, a secret, or a part of a URL other than the host.',
    'The number of lines is bounded. An attempt that fails has a line only with `--log-level debug`. A webhook that fails has a line when that begins and when it ends, and at most one summary a minute. No event has more than `logLinesPerMinute` lines in a minute: `log.lines_left_out` has the number of the others. This does not apply to the levels debug and fatal.',
    table(
      ['event', 'level', 'meaning', 'what to do'],
      Object.entries(LOG_EVENTS).map(([name, { level, meaning, help }]) => [
        code(name),
        level,
        plain(meaning),
        plain(help),
      ]),
    ),
  )
}
