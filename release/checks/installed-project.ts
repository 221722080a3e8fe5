import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.ts'
import type { PackageName } from '../packages.ts'
import type { Tarball } from '../packing/tarballs.ts'

/** A user's project with the tarballs installed, for one version of Node. */
export class InstalledProject {
  readonly folder: string
  readonly node: string

  private constructor(folder: string, node: string) {
    this.folder = folder
    this.node = node
  }

  /** Installs the tarballs in an empty folder, in one command. Rejects if npm prints a warning. */
  static async install(folder: string, node: string, tarballs: readonly Tarball[]) {
    writeFileSync(join(folder, 'package.json'), '{"private": true}')
    const files = tarballs.map(({ file }) => file)
    const { stderr } = await run('npm', ['install', ...files], { cwd: folder, node })
    // A warning about a setting of npm itself concerns this machine, not the packages.
    const warnings = stderr.split('\n').filter((line) => /^npm warn (?!Unknown )/.test(line))
    if (warnings.length > 0) throw new Error(`npm install\n${warnings.join('\n')}`)
    return new InstalledProject(folder, node)
  }

  /** Saves a program as this file and runs it. Resolves with its output. */
  async program(file: string, text: string, ...args: readonly string[]): Promise<string> {
    writeFileSync(join(this.folder, file), text)
    return this.run(this.node, join(this.folder, file), ...args)
  }

  /** Runs the first JavaScript program in the README of the installed package. */
  async readmeProgram(name: PackageName): Promise<string> {
    const readme = readFileSync(`${this.folder}/node_modules/@hookline/${name}/README.md`, 'utf8')
    const program = /^```js\n([^]*?)^```/m.exec(readme)
    if (program === null) throw new Error(`The README of ${name} has no program.`)
    return this.program(`readme-${name}.mjs`, program[1]!)
  }

  /** Runs `hookline` of the installed packages. Resolves with its stdout. */
  hookline(...args: readonly string[]): Promise<string> {
    return this.run(join(this.folder, 'node_modules/.bin/hookline'), ...args)
  }

  async run(program: string, ...args: readonly string[]): Promise<string> {
    return (await run(program, args, { cwd: this.folder, node: this.node })).stdout.trim()
  }
}
