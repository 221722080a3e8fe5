import { formatTimeSpan } from '@hookline/protocol'
import type { ManagementApi } from '../../api/management-api.ts'
import { details } from '../details.ts'
import { nameAndId, nameColumns, type Names } from '../names.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'
import type { Column } from '../table.ts'

type Summary = Awaited<ReturnType<ManagementApi['listInspectedRequests']>>['data'][number]
type Request = Awaited<ReturnType<ManagementApi['getInspectedRequest']>>
type Answers = Awaited<ReturnType<ManagementApi['changeInspectorAnswers']>>

/** The columns of a list of requests to the inspector. */
export function inspectedColumns(items: readonly Summary[], names: Names): Column<Summary>[] {
  const destinationOf = ({ destinationId }: Summary) => destinationId ?? ''
  return [
    { head: 'id', cell: ({ id }) => id },
    { head: 'received', cell: ({ receivedAt }) => receivedAt, isTime: true },
    { head: 'type', cell: ({ type }) => type ?? 'not JSON' },
    { head: 'name', cell: ({ name }) => name ?? '', long: 'cut', rank: 2 },
    { head: 'user', cell: userOf, long: 'cut', rank: 3 },
    { head: 'signature', cell: ({ signature }) => signature.verdict },
    { head: 'attempt', cell: ({ attempt }) => `${attempt ?? ''}`, rank: 4 },
    { head: 'response', cell: ({ response }) => `${response.status}`, rank: 1 },
    ...nameColumns('destination', destinationOf, { names, items }),
  ]
}

function userOf({ userId, anonymousId }: Summary): string {
  return userId ?? anonymousId ?? ''
}

/** A request to the inspector for people: what is known of it, and its headers and body as they came. */
export function inspectedDetails(output: Output, request: Request, names: Names): string {
  const { destinationId, signature, response, headers, body } = request
  const { status, delayMs, sent } = response
  const after = delayMs === 0 ? '' : ` after ${formatTimeSpan(delayMs)}`
  const facts = details(output, [
    ['id', request.id],
    ['received', output.time(request.receivedAt)],
    ['destination', destinationId === null ? 'not certain' : nameAndId(destinationId, names)],
    ['delivery', request.deliveryId ?? 'none'],
    ['attempt', `${request.attempt ?? 'none'}`],
    ['signature', [signature.verdict, ...(signature.reason ? [signature.reason] : [])].join(': ')],
    ['response', `${status}${after}${sent ? '' : ', not sent'}`],
  ])
  const lines = [
    `${request.method} ${request.path}`,
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    '',
    body,
  ]
  return [facts, '', ...lines.map((line) => `  ${printable(line)}`.trimEnd())].join('\n')
}

/** What the inspector responds from now on. */
export function answersText({ status, delayMs, failFirst }: Answers): string {
  const delay = delayMs === 0 ? 'at once' : `after ${formatTimeSpan(delayMs)}`
  const rest =
    failFirst === null ? '' : ` to the first ${failFirst} attempts of each delivery, then 200`
  return `The inspector responds ${status}${rest}, ${delay}.`
}
