import { LOG_EVENTS } from '../../packages/server/src/telemetry/log-events.ts'
import { code, page, plain, table } from './markdown.ts'

/** docs/reference/log-events.md: every log event, with its remedy. */
export function logEventsPage(): string {
  return page(
    '# Log events',
    'Hookline writes its log to stderr, as one JSON object per line, or in a short readable form on a terminal. The `msg` field is the name of the event, and is stable across versions. `level` is 20 for debug, 30 for info, 40 for warn, 50 for error and 60 for fatal. The setting [logLevel](config.md) is the minimum level to log.',
    "Lines about a destination contain its name (`destination`) and id (`destinationId`), the name of its source (`source`), and the webhook's host (`webhook`). No line contains a payload, a secret, or any part of a webhook URL except the host.",
    'The number of lines is limited. Failed attempts are logged only with `--log-level debug`. For a failing webhook, one line is logged when it starts failing and one when it recovers. In between, there are at most one summary and one pair of breaker lines a minute. No event is logged more than `logLinesPerMinute` times a minute, except at the levels debug and fatal; `log.lines_dropped` reports the number of omitted lines.',
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
