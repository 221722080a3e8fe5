import { Argument, type Command } from 'commander'
import { Failure } from '../../failure.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      process.stdout.write(SCRIPTS[shell](casesOf(program)))
    })
}

interface CompletionCase {
  readonly words: string
  readonly next: string
}

function casesOf(command: Command, words = ''): CompletionCase[] {
  const options = command.options.flatMap(({ short, long }) =>
    [short, long].filter((flag) => flag?.startsWith('--')),
  )
  const named = command.commands.flatMap((each) =>
    [each.name(), ...each.aliases()].map((name) => ({ each, name })),
  )
  const next = [...named.map(({ name }) => name), ...options, '--help']
  const below = named.flatMap(({ each, name }) => casesOf(each, `${words} ${name}`.trim()))
  return [{ words, next: next.join(' ') }, ...below]
}

const SCRIPTS: Readonly<
  Record<(typeof SHELLS)[number], (cases: readonly CompletionCase[]) => string>
> = {
  bash: (cases) => `${bashFunction(cases)}complete -o default -F _hookline hookline\n`,
  zsh: (cases) => `autoload -U +X bashcompinit && bashcompinit\n${SCRIPTS.bash(cases)}`,
  fish: (cases) =>
    cases
      .map(({ words, next }) => {
        const is = `test (string join ' ' (commandline -opc)[2..] | string replace -ra ' -.*' '') = '${words}'`
        return `complete -c hookline -f -n "${is}" -a '${next}'\n`
      })
      .join(''),
}

/** The script does not quote words, so they must be plain names. */
function bashFunction(cases: readonly CompletionCase[]): string {
  if (cases.some(({ words, next }) => /[^\w\s-]/.test(words + next))) {
    throw new Failure('failed', 'A command name is not safe in a shell script.')
  }
  const branches = cases.map(({ words, next }) => `    "${words}") next="${next}" ;;\n`).join('')
  return `_hookline() {
  local words="" next="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) break ;; esac
    words="\${words:+$words }\${COMP_WORDS[i]}"
  done
  case "$words" in
${branches}  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
`
}
