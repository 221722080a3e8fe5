import { Argument, type Command } from 'commander'
import { Failure } from '../../failure.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `hookline completion` */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText('after', '\nExample: source <(hookline completion bash)')
    .action((shell: (typeof SHELLS)[number]) => {
      process.stdout.write(SCRIPTS[shell](pathsOf(program)))
    })
}

/** A command by the words that lead to it, and what may follow: names of commands, and options. */
interface Path {
  readonly words: string
  readonly next: string
}

function pathsOf(command: Command, words = ''): Path[] {
  const options = command.options.flatMap(({ long }) => long ?? [])
  const next = [...command.commands.map((each) => each.name()), ...options, '--help']
  const below = command.commands.flatMap((each) => pathsOf(each, `${words} ${each.name()}`.trim()))
  return [{ words, next: next.join(' ') }, ...below]
}

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (paths: readonly Path[]) => string>> = {
  bash: (paths) => `${bashFunction(paths)}complete -o default -F _hookline hookline\n`,
  zsh: (paths) => `autoload -U +X bashcompinit && bashcompinit\n${SCRIPTS.bash(paths)}`,
  fish: (paths) =>
    paths
      .map(({ words, next }) => {
        const is = `test (string join ' ' (commandline -opc)[2..] | string replace -ra ' -.*' '') = '${words}'`
        return `complete -c hookline -f -n "${is}" -a '${next}'\n`
      })
      .join(''),
}

/** Words of names alone: nothing in it needs quoting. */
function bashFunction(paths: readonly Path[]): string {
  if (paths.some(({ words, next }) => /[^\w\s-]/.test(words + next))) {
    throw new Failure('failed', 'A command has a name that no shell script can hold.')
  }
  const cases = paths.map(({ words, next }) => `    "${words}") next="${next}" ;;\n`).join('')
  return `_hookline() {
  local words="" next="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) break ;; esac
    words="\${words:+$words }\${COMP_WORDS[i]}"
  done
  case "$words" in
${cases}  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
`
}
