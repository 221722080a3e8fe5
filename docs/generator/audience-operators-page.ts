import {
  COMPUTE_TABLE,
  COUNT_OPERATORS,
  LIMITS,
  OPERATOR_TABLE,
  VALUE_KINDS,
} from '@hookline/protocol'
import { code, grouped, list, page, plain, table } from './markdown.ts'

/** docs/reference/audience-operators.md: how conditions of audiences compare, and how computed traits are computed. */
export function audienceOperatorsPage(): string {
  return page(
    '# Operators of audiences, and functions of computed traits',
    '## Operators',
    'The field `op` of a clause that compares a trait or a computed trait, and of a filter in `where`. The columns on the right say whether a comparison holds for a missing and for a mistyped value.',
    table(['op', 'compares with', 'looks at', 'holds if', 'missing', 'mistyped'], operatorRows()),
    list([
      '`null` is a missing value.',
      'Texts are compared exactly: upper and lower case are different. Numbers are compared with numbers only: `"5"` is a text.',
      'A date is a timestamp in ISO 8601, which is in UTC if it names no zone, or a number: seconds since 1970, or milliseconds from 100,000,000,000 on.',
      'A path such as `address.city` goes through objects, not through lists. Write a dot in a name with a backslash, which JSON doubles: `"utm\\\\.source"`.',
    ]),
    '## Events',
    list([
      `\`count\` compares the number of events with \`n\`, by one of ${COUNT_OPERATORS.map(code).join(' ')}. Without \`count\`, at least one event is required.`,
      `The number is exact up to \`n\` + 1, and up to ${LIMITS.leastFactsPerClause} for a smaller \`n\`. Beyond that, Hookline does not keep older events, and the explanation of an audience says "or more". No verdict depends on them.`,
      'Filters in `where` look at the properties of an event, and at the traits of an identify or a group call. All of them must hold.',
      `\`within\` is a window that ends now and slides with time: an event leaves it exactly that long after its \`timestamp\`. An event whose \`timestamp\` is in the future is in it. \`between\` is a fixed window: from the first timestamp, before the second one. Without both, all events count.`,
    ]),
    '## Functions of computed traits',
    'The field `fn` of `compute`. The last column is the value of a user who had a value, when no event is left in the window. A user who never had one gets none.',
    table(['fn', 'value', 'made from', 'no event left'], functionRows()),
    list([
      `A trait is made from the newest ${grouped(LIMITS.factsPerComputedTrait)} events of a user in the window. Events without the property do not count, nor do values whose JSON is longer than ${LIMITS.factValueCharacters} characters.`,
      'The order of events is that of their timestamps, then that in which they arrived.',
      `The order of values is \`false\`, \`true\`, numbers by size, texts by their UTF-16 code units. A list has at most ${grouped(LIMITS.uniqueListValues)} values, the first ones in this order.`,
    ]),
  )
}

function operatorRows(): string[][] {
  return Object.entries(OPERATOR_TABLE).map(([op, info]) => [
    code(op),
    plain(VALUE_KINDS[info.takes]),
    plain(info.looksAt),
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
