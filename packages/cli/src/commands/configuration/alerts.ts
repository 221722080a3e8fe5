import { Option } from 'commander'
import { idOf } from '../../api/find-id.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { confirm } from '../../options/confirmation.ts'
import { secretIn } from '../../options/secret-options.ts'
import { countText } from '../../output/figures.ts'
import { printableText } from '../../output/safe-text.ts'
import { type Column, table } from '../../output/table.ts'
import { noteWarnings } from '../../output/warnings.ts'
import type { ApiCommand } from '../api-command.ts'
import { showTest } from './destination-actions.ts'

type Alerts = Awaited<ReturnType<ManagementApi['getAlerts']>>
type Channel = Alerts['channels'][number]

const FORMATS = Object.keys({
  slack: true,
  teams: true,
  discord: true,
  pagerduty: true,
  opsgenie: true,
  alertmanager: true,
  email: true,
  webhook: true,
} satisfies Record<Channel['format'], true>) as Channel['format'][]

const NONE = 'No channels. Add one with `hookline alerts add <url> --format slack`.'

export function addAlerts(program: ApiCommand): void {
  const alerts = program
    .command('alerts')
    .description('send alerts to Slack, PagerDuty, email and other services')
  addChannel(alerts)

  alerts.api('list', 'list alert channels').run(async ({ api, output }) => {
    const { channels, heldBack } = await api.getAlerts()
    output.data({ data: channels, heldBack }, () => {
      const text = channels.length === 0 ? NONE : table(output, CHANNEL_COLUMNS, channels)
      return heldBack === 0 ? text : `${text}\n\n${countText(heldBack, 'alert')} held back.`
    })
  })

  alerts.api('test <channel>', 'send a test alert').run(async ({ api, output }, name: string) => {
    const { destinationId } = await channelOf(api, name)
    showTest(output, await api.testDestination(destinationId, { type: 'track' }))
  })

  alerts
    .api('remove <channel>', 'delete a channel and its undelivered alerts')
    .confirmed()
    .run(async ({ api, output, command }, idOrName: string) => {
      const { destinationId: id, name, host } = await channelOf(api, idOrName)
      await confirm(
        command,
        () => `This removes the channel ${JSON.stringify(name)} (${id}) at ${host}.`,
      )
      await api.removeDestination(id)
      output.data({ id, deleted: true }, () => `Removed ${id}.`)
    })

  alerts.api('conditions', 'list all conditions and their alerts').run(async ({ api, output }) => {
    const { conditions: data } = await api.getAlerts()
    output.data({ data }, () => table(output, CONDITION_COLUMNS, data))
  })
}

interface AddOptions {
  readonly format: Channel['format']
  readonly name?: string
  readonly key?: string
  readonly keyFile?: string
}

function addChannel(alerts: ApiCommand): void {
  alerts
    .api('add <url>', 'add an alert channel')
    .addOption(
      new Option('--format <format>', 'service that receives the alerts')
        .choices(FORMATS)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'name of the channel')
    .option(
      '--key <key>',
      'key for pagerduty and opsgenie; bearer token for webhook; password for email',
    )
    .addOption(new Option('--key-file <file>', 'file that contains the key').conflicts('key'))
    .run(async ({ api, output }, url: string, { format, name, keyFile, ...rest }: AddOptions) => {
      const key = keyFile === undefined ? rest.key : secretIn(keyFile)
      const created = await api.addAlertChannel({ url, format, ...definedFields({ name, key }) })
      output.data(created, () =>
        [
          `Added ${printableText(created.name)} (${created.id}).`,
          `Send a test alert with \`hookline alerts test ${created.id}\`.`,
        ].join('\n'),
      )
      noteWarnings(output, created.warnings)
    })
}

/** @throws {Failure} `not found` if the destination belongs to another source */
async function channelOf(api: ManagementApi, idOrName: string): Promise<Channel> {
  const id = await idOf(api, 'destination', idOrName)
  const { channels } = await api.getAlerts()
  const channel = channels.find(({ destinationId }) => destinationId === id)
  if (channel !== undefined) return channel
  const hint = '`hookline alerts list` lists all channels.'
  throw new Failure('not found', `${id} is not an alert channel.`, { hint })
}

const CHANNEL_COLUMNS: readonly Column<Channel>[] = [
  { head: 'id', cell: ({ destinationId }) => destinationId },
  { head: 'name', cell: ({ name }) => name, long: 'cut' },
  { head: 'format', cell: ({ format }) => format },
  { head: 'host', cell: ({ host }) => host, long: 'cut', rank: 2 },
  { head: 'enabled', cell: ({ enabled }) => (enabled ? 'yes' : 'no'), rank: 1 },
  {
    head: 'last delivered',
    cell: ({ lastDeliveredAt }) => lastDeliveredAt ?? 'never',
    isTime: true,
    rank: 3,
  },
]

const CONDITION_COLUMNS: readonly Column<Alerts['conditions'][number]>[] = [
  { head: 'condition', cell: ({ condition }) => condition },
  { head: 'severity', cell: ({ severity }) => severity, rank: 1 },
  { head: 'alert', cell: ({ events }) => events?.start ?? 'not sent', rank: 2 },
  { head: 'applies if', cell: ({ threshold }) => threshold, long: 'wrap' },
]
