import { type Command, Help, type Option } from 'commander'

export const HELP_STYLE = {
  showGlobalOptions: true,
  // The longest option leaves 38 of 80 columns for its description.
  minWidthToWrap: 30,
  subcommandTerm: (command: Command) => {
    const names = command.registeredArguments.map((argument) => argumentTerm(argument))
    return [command.name(), ...names].join(' ')
  },
  groupItems: ownFirst,
}

/** Adds their examples to the subcommands, at any depth. */
export function addExamples(parent: Command, path = ''): void {
  for (const command of parent.commands) {
    const name = `${path} ${command.name()}`.trim()
    if (EXAMPLES[name] !== undefined) command.addHelpText('after', `\nExample: ${EXAMPLES[name]}`)
    addExamples(command, name)
  }
}

/** `<file>` or `[userIds...]` */
export function argumentTerm(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

function ownFirst<Item extends Command | Option>(
  all: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = [...new Help().groupItems(all, visible, groupOf)]
  const isOwn = ([heading]: (typeof groups)[number]) => heading === 'Options:'
  return new Map([...groups.filter(isOwn), ...groups.filter((group) => !isOwn(group))])
}
/** Examples, shown after the options in the help of a command. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  send: 'hookline send track "Order Completed" --user u1 -p revenue=39.95',
  completion: 'source <(hookline completion bash)',
  start: 'hookline start --data-dir /var/lib/hookline --retention 30d',
  listen: 'hookline listen --secret "a shared secret" --fail 503:2',
  backup: 'hookline backup hookline.db',
  'sources create': 'hookline sources create "My shop" --rate-limit 500',
  'destinations create':
    'hookline destinations create --source src_… --webhook https://crm.example.com/hook --secret-file secret.txt --enabled',
  'destinations test': 'hookline destinations test dst_… --type identify',
  'alerts add':
    'hookline alerts add https://hooks.slack.com/services/T000/B000/XXXX --format slack',
  'tokens create': 'hookline tokens create ci --role viewer --expires 30d',
  tail: 'hookline tail --kind attempt --destination dst_…',
  trace: 'hookline trace evt_…',
  'events list': 'hookline events list --user u1 --from 1h',
  'deliveries list': 'hookline deliveries list --state rejected --from 1d',
  stats: 'hookline stats --step 1h --from 1d',
  'inspector respond': 'hookline inspector respond --status 500 --fail-first 2 --delay 1s',
  replay: 'hookline replay --destination dst_… --from 12h --dry-run',
  'delete-user': 'hookline delete-user u1 --suppress --yes',
}
