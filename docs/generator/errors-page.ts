import {
  ATTEMPT_CLASSES,
  CLASSES_WITHOUT_ATTEMPT,
  DECLINE_REASONS,
  INGEST_CODES,
} from '@hookline/protocol'
import { PROBLEM_CODES } from '../../packages/server/src/admin/problems/problem-codes.ts'
import { MISSING_CAUSES } from '../../packages/server/src/admin/events/why-missing.ts'
import { TRACE_FINDINGS, UNDECIDED_REASONS } from '../../packages/server/src/admin/events/trace.ts'
import { code, page, plain, table } from './markdown.ts'

/** docs/reference/errors.md: every error code and failure class. */
export function errorsPage(): string {
  return page(
    '# Errors',
    'This page lists all error codes, decline reasons and attempt classes, each with its meaning and remedy.',
    '## Ingestion API error codes',
    'Values of the `code` field in a response with `"success": false`, and in each entry of `rejected` in the response to a batch.',
    table(['code', 'status', 'message', 'what to do'], ingestRows()),
    '## Management API error codes',
    'Values of the `code` field in an `application/problem+json` response. Its `errors` field lists every problem in the request.',
    table(['code', 'status', 'title', 'what to do'], problemRows()),
    '## Why an event was not delivered to a destination',
    'Values of the `reason` field of a decision in a trace.',
    table(
      ['reason', 'meaning', 'what to do'],
      meaningRows({ ...DECLINE_REASONS, ...UNDECIDED_REASONS }),
    ),
    '## Notes about an event',
    'Values of the `code` field in the `findings` of a trace.',
    table(['code', 'meaning', 'what to do'], meaningRows(TRACE_FINDINGS)),
    '## Why an event is missing',
    'Values of the `code` field of a cause in the response to `GET /api/v1/events/why-missing`, most likely first. `evidence` contains the number of calls, events or duplicates (`count`), and their times.',
    table(['code', 'meaning', 'what to do'], meaningRows(MISSING_CAUSES)),
    '## Attempt classes',
    'Values of the `class` field of an attempt, and of the `class` label of `hookline_attempts_total`.',
    table(['class', 'meaning', 'what to do'], meaningRows(ATTEMPT_CLASSES)),
    '## Failures without an attempt',
    'Values of the `class` field of a failure in the response to `GET /api/v1/deliveries/failures`, if there was no attempt. `GET /api/v1/deliveries` filters by the same class.',
    table(['class', 'meaning', 'what to do'], meaningRows(CLASSES_WITHOUT_ATTEMPT)),
  )
}

function ingestRows(): string[][] {
  return Object.entries(INGEST_CODES).map(([name, { status, message, help }]) => [
    code(name),
    String(status),
    plain(message),
    plain(help),
  ])
}

function problemRows(): string[][] {
  return Object.entries(PROBLEM_CODES).map(([name, { status, title, help }]) => [
    code(name),
    String(status),
    plain(title),
    plain(help),
  ])
}

function meaningRows(entries: Record<string, { meaning: string; help: string }>): string[][] {
  return Object.entries(entries).map(([name, { meaning, help }]) => [
    code(name),
    plain(meaning),
    plain(help),
  ])
}
