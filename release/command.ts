import { execFile } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

export interface CommandOptions {
  readonly cwd: string
  /** The path of the Node binary for the command and its child processes. Defaults to the binary that runs this process. */
  readonly node?: string
}

/** Runs a command. Resolves with its stdout and stderr; rejects with its output if it failed. */
export function run(program: string, args: readonly string[], options: CommandOptions) {
  const { cwd, node = process.execPath } = options
  return new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
    execFile(program, args, { cwd, env: environment(node) }, (error, stdout, stderr) => {
      if (error === null) return resolve({ stdout, stderr })
      const command = [program, ...args].join(' ')
      reject(new Error(`${command}\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

/** The environment of a user who has only this version of Node, outside of npm scripts. */
export function environment(node: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !NPM_SCRIPT_ENV.test(name))
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((each) => !OF_CLONE.test(each))
  return { ...Object.fromEntries(own), PATH: [dirname(node), ...path].join(delimiter) }
}

/** npm passes its flags on to scripts as variables: `npm run release --dry-run` would make every install a dry run. */
const NPM_SCRIPT_ENV =
  /^(npm_(lifecycle|package|command|config_(dry_run|local_prefix|loglevel))|HOOKLINE_)/
const OF_CLONE = /node_modules[\\/](\.bin|npm[\\/])/
