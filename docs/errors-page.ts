import { ATTEMPT_CLASSES, DECLINE_REASONS, INGEST_CODES } from '@hookline/protocol'
import { PROBLEM_CODES } from '../packages/server/src/admin/problems/problem-codes.ts'
import { code, page, plain, table } from './markdown.ts'

/** docs/errors.md: every way in which something is refused or fails, and the remedy. */
export function errorsPage(): string {
  return page(
    '# Errors, and what to do',
    'Every code, reason and class says what went wrong and what to do about it.',
    '## Answers of the ingestion API',
    'In `code` of an answer with `"success": false`, and for single calls of a batch in `rejected`.',
    table(['code', 'status', 'message', 'what to do'], ingestRows()),
    '## Answers of the management API',
    'In `code` of an `application/problem+json` answer. `errors` names each fault by itself.',
    table(['code', 'status', 'title', 'what to do'], problemRows()),
    '## Why an event was not delivered to a destination',
    'The `reason` of a decision in the trace of an event.',
    table(['reason', 'meaning', 'what to do'], meaningRows(DECLINE_REASONS)),
    '## What became of an attempt',
    'The `class` of an attempt in the history of a delivery, and a label of `hookline_attempts_total`.',
    table(['class', 'meaning', 'what to do'], meaningRows(ATTEMPT_CLASSES)),
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
