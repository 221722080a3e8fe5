import { type Command, Help, type Option } from 'commander'

/** How the help of every command looks. */
export const HELP_STYLE = {
  showGlobalOptions: true,
  // The longest option leaves 39 columns of 80 for its description.
  minWidthToWrap: 30,
  subcommandTerm: (command: Command) => {
    const names = command.registeredArguments.map((argument) => argumentTerm(argument))
    return [command.name(), ...names].join(' ')
  },
  optionTerm,
  groupItems: ownFirst,
}

/** Adds summaries and examples to the commands below this one. */
export function addHelpTexts(parent: Command, path = ''): void {
  for (const command of parent.commands) {
    const name = `${path} ${command.name()}`.trim()
    const summary = SUMMARIES[name]
    if (summary !== undefined) command.summary(summary)
    if (EXAMPLES[name] !== undefined) command.addHelpText('after', `\nExample: ${EXAMPLES[name]}`)
    addHelpTexts(command, name)
  }
}

/** `<file>` or `[userIds...]` */
export function argumentTerm(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** The option as it is best written. It may have a second spelling. */
function optionTerm({ flags }: Option): string {
  const [first = '', second] = flags.split(/, (?=--)/)
  const isPair = first.startsWith('--') && second !== undefined
  return isPair ? `${first} ${second.split(' ').slice(1).join(' ')}` : flags
}

/** The options of the command itself come first. */
function ownFirst<Item extends Command | Option>(
  all: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = [...new Help().groupItems(all, visible, groupOf)]
  const isOwn = ([heading]: (typeof groups)[number]) => heading === 'Options:'
  return new Map([...groups.filter(isOwn), ...groups.filter((group) => !isOwn(group))])
}
/** What `hookline --help` says of a command, where its description is too long for one line. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  dev: 'run everything here, with demo objects',
  cluster: 'run three nodes here, with PostgreSQL and NATS',
  demo: 'run a complete demo, verify it, and end',
  listen: 'run a receiver that shows and checks deliveries',
  start: 'run the service for production',
  config: 'show every setting, and where its value comes from',
  doctor: 'check the service, its machine and its deliveries',
  system: 'show version, storage, backlog and settings',
  migrate: 'migrate the database of a stopped service',
  'migrate-data': 'move the data of a stopped service into a cluster',
  backup: 'back up the database',
  restore: 'restore a backup into a data folder',
  rebuild: 'rebuild a damaged database',
  sources: 'where events come from, with their write keys',
  destinations: 'where the events of a source are delivered',
  export: 'write the configuration as a JSON document',
  'import-config': 'change the configuration to match a document',
  import: 'send the calls of a file, with their timestamps',
  console: 'print a link to the console that signs you in',
  tail: 'show events and attempts as they happen',
  trace: 'show what happened to an event',
  deliveries: 'deliveries, with their attempts and failures',
  stats: 'show counts and latency over time',
  inspector: 'requests to the receiver inside the service',
  audit: 'list changes and who made them',
  replay: 'deliver past events to a destination again',
  audiences: 'groups of users, kept up to date',
  traits: 'traits of users, computed from their events',
  'delete-user': 'delete all data of users',
  deletions: 'deletions of users, and their progress',
  suppressions: 'users whose new events are not stored',
  completion: 'print a script that completes commands',
}

/** One example for each command whose options do not explain themselves. It follows the options in the help. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  start: 'hookline start --data-dir /var/lib/hookline --retention 30d',
  listen: 'hookline listen --secret "a shared secret" --fail 503:2',
  backup: 'hookline backup hookline.db',
  'sources create': 'hookline sources create "My shop" --rate-limit 500',
  'destinations create':
    'hookline destinations create --source src_… --webhook https://crm.example.com/hook --secret-file secret.txt --enabled',
  'destinations test': 'hookline destinations test dst_… --type identify',
  'tokens create': 'hookline tokens create ci --role viewer --expires 30d',
  tail: 'hookline tail --kind attempt --destination dst_…',
  trace: 'hookline trace evt_…',
  'events list': 'hookline events list --user u1 --from 1h',
  'deliveries list': 'hookline deliveries list --state rejected --from 1d',
  stats: 'hookline stats --step 1h --from 1d',
  'inspector answer': 'hookline inspector answer --status 500 --fail-first 2 --delay 1s',
  replay: 'hookline replay --destination dst_… --from 12h --dry-run',
  'delete-user': 'hookline delete-user u1 --suppress --yes',
}
