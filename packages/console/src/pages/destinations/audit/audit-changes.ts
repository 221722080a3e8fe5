interface FieldChange {
  /** `settings.webhooks.0.url` */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** Fields that every change updates. */
const IGNORED = new Set(['version', 'updatedAt'])
const MAX_CHANGES = 50

export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  return changesAt('', before, after).slice(0, MAX_CHANGES)
}

function changesAt(path: string, before: unknown, after: unknown): FieldChange[] {
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names]
      .filter((name) => path !== '' || !IGNORED.has(name))
      .flatMap((name) => changesAt((path && `${path}.`) + name, before[name], after[name]))
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

export function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
