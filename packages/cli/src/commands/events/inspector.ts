import { formatTimeSpan, INSPECTOR_LIMITS, INSPECTOR_URL, parseTimeSpan } from '@hookline/protocol'
import { type Command, InvalidArgumentError } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf, optionalIdOf } from '../../api/find-id.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { requireKnown } from '../../api/require-known.ts'
import { withLongListOptions } from '../../options/list-options.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { showList } from '../../output/list.ts'
import { destinationNames, nameAndId, nameColumns, type Names } from '../../output/names.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { details } from '../../output/details.ts'
import { printable } from '../../output/safe-text.ts'
import type { Column } from '../../output/table.ts'

/** `hookline inspector …` */
export function addInspector(program: Command): void {
  const inspector = program
    .command('inspector')
    .description(`requests to the receiver inside the service, ${INSPECTOR_URL}`)
  addList(inspector)

  withApiOptions(inspector.command('get <id>'))
    .alias('show')
    .description('show a request as it came, with the verdict on its signature')
    .action(async (given: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const output = outputOf(command)
      const request = await api.getInspectedRequest(await idOf(api, 'request', given))
      const names = await destinationNames(api, output)
      output.data(request, () => inspectedDetails(output, request, names))
    })

  addAnswer(inspector)

  withApiOptions(inspector.command('clear'))
    .description('remove the requests that are kept')
    .action(async (_options: unknown, command: Command) => {
      const result = await apiOf(command).clearInspector()
      outputOf(command).data(result, () => `Requests removed: ${result.removed}.`)
    })
}

interface ListOptions extends ListPart {
  readonly destination?: string
  readonly delivery?: string
}

function addList(inspector: Command): void {
  withLongListOptions(withApiOptions(inspector.command('list', { isDefault: true })))
    .description('list the last requests, newest first')
    .option('--destination <id>', 'only requests of this destination')
    .option('--delivery <id>', 'only the attempts of this delivery')
    .action(async ({ destination, delivery, ...part }: ListOptions, command: Command) => {
      const api = apiOf(command)
      const filter = definedFields({
        destinationId: await optionalIdOf(api, 'destination', destination),
        deliveryId: await optionalIdOf(api, 'delivery', delivery),
      })
      const output = outputOf(command)
      const page = await listPart((next) => api.listInspectedRequests({ ...filter, ...next }), part)
      if (page.data.length === 0) await requireKnown(api, filter)
      const names = await destinationNames(api, output)
      showList(output, inspectedColumns(page.data, names), page, NONE)
    })
}

const NONE = `No requests. A destination with the webhook ${INSPECTOR_URL} sends them.`

interface AnswerOptions {
  readonly status?: number
  readonly failFirst?: number
  readonly delay?: number
}

function addAnswer(inspector: Command): void {
  withApiOptions(inspector.command('answer'))
    .description('set what it responds until the service stops; without options, 200 at once')
    .option('--status <code>', 'respond with this HTTP status', wholeNumber(200, 599))
    .option(
      '--fail-first <count>',
      'only to so many attempts of each delivery, then 200; without --status, with 500',
      wholeNumber(1, INSPECTOR_LIMITS.failFirst),
    )
    .option('--delay <time>', 'wait before each response, like 1s', delay)
    .action(async ({ status, failFirst, delay: delayMs }: AnswerOptions, command: Command) => {
      const fields = definedFields({
        status: status ?? (failFirst === undefined ? undefined : 500),
        failFirst,
        delayMs,
      })
      const answers = await apiOf(command).changeInspectorAnswers(fields)
      outputOf(command).data(answers, () => answersText(answers))
    })
}

function delay(text: string): number {
  const ms = parseTimeSpan(text)
  if (ms !== undefined && ms <= INSPECTOR_LIMITS.delayMs) return ms
  throw new InvalidArgumentError('It must be up to 10s, like 300ms or 3s.')
}

type Summary = Awaited<ReturnType<ManagementApi['listInspectedRequests']>>['data'][number]
type Request = Awaited<ReturnType<ManagementApi['getInspectedRequest']>>
type Answers = Awaited<ReturnType<ManagementApi['changeInspectorAnswers']>>

/** The columns of a list of requests to the inspector. */
function inspectedColumns(items: readonly Summary[], names: Names): Column<Summary>[] {
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
function inspectedDetails(output: Output, request: Request, names: Names): string {
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
function answersText({ status, delayMs, failFirst }: Answers): string {
  const when = delayMs === 0 ? 'at once' : `after ${formatTimeSpan(delayMs)}`
  const rest =
    failFirst === null ? '' : ` to the first ${failFirst} attempts of each delivery, then 200`
  return `The inspector responds ${status}${rest}, ${when}.`
}
