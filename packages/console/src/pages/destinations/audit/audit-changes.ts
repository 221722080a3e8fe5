/** A field that an audited request has changed. */
export interface FieldChange {
  /** `settings.webhooks.0.url` */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** Fields that change with every change, or name the record. */
const SILENT = new Set(['version', 'updatedAt'])
const MOST = 50

/** What differs between a record before and after a change, field by field. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  return changesAt('', before, after).slice(0, MOST)
}

function changesAt(path: string, before: unknown, after: unknown): FieldChange[] {
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names
      .filter((name) => path !== '' || !SILENT.has(name))
      .flatMap((name) =>
        changesAt(path === '' ? name : `${path}.${name}`, before[name], after[name]),
      )
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** A value of a field in a line. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
