import {
  COMPUTE_TABLE,
  COUNT_OPERATORS,
  LIMITS,
  OPERATOR_TABLE,
  VALUE_KINDS,
} from '@hookline/protocol'
import { code, formatCount, list, page, plain, table } from './markdown.ts'

/** docs/reference/audience-operators.md: the operators of conditions, and the functions of computed traits. */
export function audienceOperatorsPage(): string {
  return page(
    '# Audience operators and computed trait functions',
    '## Operators',
    'Values of the `op` field in a clause that compares a trait or a computed trait, and in a `where` filter. The last two columns show whether the comparison is true for a missing value and for a value of another type.',
    table(
      ['op', 'compares with', 'value type', 'true if', 'missing', 'other type'],
      operatorRows(),
    ),
    list([
      '`null` counts as missing.',
      'Strings are compared exactly, including case. Numbers are compared with numbers only: `"5"` is a string.',
      'A date is an ISO 8601 timestamp, in UTC unless it has a zone, or a number: Unix time in seconds, or in milliseconds if at least 100,000,000,000.',
      'A path such as `address.city` can descend into objects, but not into lists. Escape a dot in a name with a backslash, doubled in JSON: `"utm\\\\.source"`.',
    ]),
    '## Events',
    list([
      `\`count\` compares the number of events with \`n\`, using one of ${COUNT_OPERATORS.map(code).join(' ')}. Without \`count\`, at least one event is required.`,
      `The number is exact up to ${LIMITS.minFactsPerClause}, or up to \`n\` + 1 if that is larger. Beyond that, Hookline counts only the newest events, and the explanation of an audience shows "or more". Results are not affected.`,
      'Filters in `where` apply to the properties of an event, or to the traits of an identify or group call. All of them must be true.',
      `\`within\` is a sliding window that ends now. A future \`timestamp\` counts as \`receivedAt\`. \`between\` is a fixed window that includes the first timestamp, but not the second. Without either, all events count.`,
    ]),
    '## Functions of computed traits',
    'Values of the `fn` field in `compute`. The last column is the value that a user gets when the last event has left the window. Users who never had a value do not get one.',
    table(['fn', 'value', 'computed from', 'no event left'], functionRows()),
    list([
      `A trait is computed from the newest ${formatCount(LIMITS.factsPerComputedTrait)} of a user's events in the window. Events without the property are ignored, and so are values whose JSON is longer than ${LIMITS.factValueCharacters} characters.`,
      'Events are ordered by timestamp, then by arrival.',
      `Values are ordered as follows: \`false\`, \`true\`, numbers by size, then strings by UTF-16 code units. A list has at most ${formatCount(LIMITS.uniqueListValues)} values: the first in this order.`,
    ]),
  )
}

function operatorRows(): string[][] {
  return Object.entries(OPERATOR_TABLE).map(([op, info]) => [
    code(op),
    plain(VALUE_KINDS[info.takes]),
    plain(info.appliesTo),
    plain(info.meaning),
    yesOrNo(info.onMissing),
    yesOrNo(info.onMistyped),
  ])
}

function functionRows(): string[][] {
  return Object.entries(COMPUTE_TABLE).map(([fn, { meaning, from, whenEmpty }]) => [
    code(fn),
    plain(meaning),
    plain(from),
    code(JSON.stringify(whenEmpty)),
  ])
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no'
}
