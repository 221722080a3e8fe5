import { formatTimeSpan, INSPECTOR_LIMITS, INSPECTOR_URL, parseTimeSpan } from '@hookline/protocol'
import { InvalidArgumentError } from 'commander'
import { optionalIdOf, requireKnown } from '../../api/find-id.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { details } from '../../output/details.ts'
import { userOf } from '../../output/events/event-summary.ts'
import { countText } from '../../output/figures.ts'
import { showList } from '../../output/list.ts'
import { destinationNames, nameAndId, nameColumns, type Names } from '../../output/names.ts'
import type { Output } from '../../output/output.ts'
import { printableText } from '../../output/safe-text.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

const NONE = `No requests. Add ${INSPECTOR_URL} as a webhook to a destination.`

interface ListOptions extends ListPart {
  readonly destination?: string
  readonly delivery?: string
}

export function addInspector(program: ApiCommand): void {
  const inspector = program
    .command('inspector')
    .description('show requests to the built-in receiver')

  inspector
    .api('list', 'list requests, newest first', { isDefault: true })
    .paged('long')
    .option('--destination <id>', 'only requests from this destination')
    .option('--delivery <id>', 'only attempts for this delivery')
    .run(async ({ api, output }, { destination, delivery, ...part }: ListOptions) => {
      const filter = definedFields({
        destinationId: await optionalIdOf(api, 'destination', destination),
        deliveryId: await optionalIdOf(api, 'delivery', delivery),
      })
      const page = await listPart((next) => api.listInspectedRequests({ ...filter, ...next }), part)
      if (page.data.length === 0) await requireKnown(api, filter)
      const names = await destinationNames(api, output)
      showList(output, columnsFor(page.data, names), page, NONE)
    })

  inspector
    .api('get <id>', 'show a request and its signature check')
    .alias('show')
    .runOn('request', async ({ api, output }, id) => {
      const request = await api.getInspectedRequest(id)
      const names = await destinationNames(api, output)
      output.data(request, () => requestDetails(output, request, names))
    })

  addRespond(inspector)

  inspector.api('clear', 'remove all recorded requests').run(async ({ api, output }) => {
    const result = await api.clearInspector()
    output.data(result, () => `Removed ${countText(result.removed, 'request')}.`)
  })
}

interface RespondOptions {
  readonly status?: number
  readonly failFirst?: number
  readonly delay?: number
}

function addRespond(inspector: ApiCommand): void {
  inspector
    .api('respond', 'set the response (default: 200, no delay)')
    .option('--status <code>', 'respond with this HTTP status', wholeNumber(200, 599))
    .option(
      '--fail-first <count>',
      'fail only the first <count> attempts of each delivery; default status: 500',
      wholeNumber(1, INSPECTOR_LIMITS.failFirst),
    )
    .option('--delay <time>', 'wait before each response, like 1s', parseDelay)
    .run(async ({ api, output }, { status, failFirst, delay: delayMs }: RespondOptions) => {
      const fields = definedFields({
        status: status ?? (failFirst === undefined ? undefined : 500),
        failFirst,
        delayMs,
      })
      const responses = await api.changeInspectorResponses(fields)
      output.data(responses, () => responsesText(responses))
    })
}

function parseDelay(text: string): number {
  const ms = parseTimeSpan(text)
  if (ms !== undefined && ms <= INSPECTOR_LIMITS.delayMs) return ms
  throw new InvalidArgumentError('Use a duration of at most 10s, like 300ms or 3s.')
}

type Summary = Awaited<ReturnType<ManagementApi['listInspectedRequests']>>['data'][number]
type InspectedRequest = Awaited<ReturnType<ManagementApi['getInspectedRequest']>>
type ResponseConfig = Awaited<ReturnType<ManagementApi['changeInspectorResponses']>>

function columnsFor(items: readonly Summary[], names: Names): Column<Summary>[] {
  const destinationOf = ({ destinationId }: Summary) => destinationId ?? ''
  return [
    { head: 'id', cell: ({ id }) => id },
    { head: 'received', cell: ({ receivedAt }) => receivedAt, isTime: true },
    { head: 'type', cell: ({ type }) => type ?? 'no type' },
    { head: 'name', cell: ({ name }) => name ?? '', long: 'cut', rank: 2 },
    { head: 'user', cell: userOf, long: 'cut', rank: 3 },
    { head: 'signature', cell: ({ signature }) => signature.verdict },
    { head: 'attempt', cell: ({ attempt }) => `${attempt ?? ''}`, rank: 4 },
    { head: 'response', cell: ({ response }) => `${response.status}`, rank: 1 },
    ...nameColumns('destination', destinationOf, { names, items }),
  ]
}

function requestDetails(output: Output, request: InspectedRequest, names: Names): string {
  const { destinationId, signature, response, headers, body } = request
  const { status, delayMs, sent } = response
  const after = delayMs === 0 ? '' : ` after ${formatTimeSpan(delayMs)}`
  const facts = details(output, [
    ['id', request.id],
    ['received', output.time(request.receivedAt)],
    ['destination', destinationId === null ? 'unknown' : nameAndId(destinationId, names)],
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
  return [facts, '', ...lines.map((line) => `  ${printableText(line)}`.trimEnd())].join('\n')
}

function responsesText({ status, delayMs, failFirst }: ResponseConfig): string {
  const when = delayMs === 0 ? 'immediately' : `after ${formatTimeSpan(delayMs)}`
  const rest =
    failFirst === null
      ? ''
      : ` to the first ${failFirst === 1 ? 'attempt' : countText(failFirst, 'attempt')} of each delivery, then with 200`
  return `The inspector responds ${when} with ${status}${rest}.`
}
