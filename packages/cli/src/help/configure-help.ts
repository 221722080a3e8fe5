import { type Command, Help, type Option } from 'commander'
import { EXAMPLES, SUMMARIES } from './help-texts.ts'

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
