import type { Call, CallType } from '../scenarios/call.ts'
import type { ScenarioName } from '../scenarios/scenario-names.ts'

/** How to install the libraries of a language. Done once for each state of the manifest and lockfile. */
export interface Installation {
  /** The prefix of its folder in the cache. */
  readonly name: string
  /** Commands that succeed if a required tool is installed, such as `['go', 'version']`. */
  readonly needs: readonly (readonly string[])[]
  /** The manifest, the lockfile and compiled sources. A change to any of them causes a new installation. */
  readonly files: readonly URL[]
  /** Installs and compiles into an empty folder, which is renamed afterwards. Errors include the output. */
  install(folder: string): Promise<void>
}

/** How to start a program. Its environment has `PATH`, `HOME` and the variables listed in README.md. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** One version of a client library. */
export interface Library {
  /** Its name in the registry. */
  readonly name: string
  readonly version: string
  /** As shown on the page: `Node.js`, `Go`. */
  readonly language: string
  /** Versions with the same sending code have the same family. The short form runs the longest scenarios only for the first of each. */
  readonly family: string
  readonly installation: Installation
  /** @param folder of the installation */
  command(folder: string): Command
  /** Types of calls that the library has no method for. */
  readonly lacks?: readonly CallType[]
  /** Skipped scenarios, with the reason as text for the page. */
  readonly without?: Readonly<Partial<Record<ScenarioName, string>>>
  /** Scenarios in which the library drops calls, with the reason as text for the page. */
  readonly dropsCallsIn?: Readonly<Partial<Record<ScenarioName, string>>>
  /** Whether it needs https. Its program trusts the certificate in `COMPAT_CA`. */
  readonly requiresTls?: true
  /** The calls in a scenario, if they come from a capture. */
  recorded?(scenario: ScenarioName): readonly Call[]
  /** The call as the library sends it, if it omits or changes fields. By default, the call itself. */
  sends?(call: Call): Call
}
