import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import type { PostgresServer } from '@hookline/testing/cluster/postgres-server'

/** A plan node from EXPLAIN (ANALYZE, FORMAT JSON). */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** A sequential scan of a table by a statement. */
export interface TableScan {
  readonly table: string
  readonly rows: number
  readonly statement: string
}

/** The executed plans of all statements, from the PostgreSQL log. */
export class PlanLog {
  readonly #folder: string
  readonly #url: string
  #marks = 0

  private constructor(folder: string, url: string) {
    this.#folder = folder
    this.#url = url
  }

  /** Logs plans of connections opened from now on. */
  static async begin(server: PostgresServer): Promise<PlanLog> {
    const settings = {
      logging_collector: 'on',
      log_destination: 'jsonlog',
      log_rotation_size: '0',
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_nested_statements': 'on',
      'auto_explain.log_format': 'json',
      log_min_messages: 'log',
    }
    await server.server.kill()
    await server.configure(settings)
    await server.server.start()
    return new PlanLog(server.logFolder, server.databaseUrls[0]!)
  }

  /** The sequential scans of statements that ran during `use`. */
  async scansOf(use: () => Promise<unknown>): Promise<readonly TableScan[]> {
    const [before, after] = [`mark ${this.#marks++}`, `mark ${this.#marks++}`]
    await this.#mark(before)
    await use()
    await this.#mark(after)
    await expect.poll(() => this.#text()).toContain(after)
    const text = this.#text()
    const lines = text.slice(text.indexOf(before), text.indexOf(after)).split('\n').slice(1, -1)
    return lines.flatMap(scansIn)
  }

  async #mark(mark: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url })
    await client.connect()
    await client.query(`SELECT '${mark}'`)
    await client.end()
  }

  #text(): string {
    const files = readdirSync(this.#folder).filter((name) => name.endsWith('.json'))
    return files.map((name) => readFileSync(join(this.#folder, name), 'utf8')).join('')
  }
}

function scansIn(line: string): readonly TableScan[] {
  const { message = '' } = JSON.parse(line) as { readonly message?: string }
  const at = message.indexOf('{')
  if (!message.startsWith('duration:') || at < 0) return []
  const explained = JSON.parse(message.slice(at)) as {
    readonly 'Query Text': string
    readonly Plan: PlanNode
  }
  return nodesOf(explained.Plan)
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => ({
      table: node['Relation Name'] ?? '',
      rows:
        ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) *
        (node['Actual Loops'] ?? 0),
      statement: explained['Query Text'].replaceAll(/\s+/g, ' '),
    }))
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
