import {
  isExactNumber,
  isJsonObject,
  type Json,
  LIMITS,
  MAY_BE_INEXACT,
  revive,
} from '@hookline/protocol'

/** JSON in which numbers that are not exact (`isExactNumber`) are strings. */
export function withExactNumbers(json: string): string {
  if (!MAY_BE_INEXACT.test(json)) return json
  const parsed = revive(json, (_name, value, { source }) =>
    typeof value === 'number' && !isExactNumber(source) ? source : value,
  )
  return parsed === undefined ? json : JSON.stringify(parsed)
}

/** The paths of the numbers that `withExactNumbers` changes, without repetition: at most `LIMITS.precisionLostFields`. */
export function inexactFields(json: string): readonly string[] {
  const exact = withExactNumbers(json)
  if (exact === json) return []
  const paths = new Set<string>()
  addDifferent(JSON.parse(json) as Json, JSON.parse(exact) as Json, '', paths)
  return [...paths]
}

/**
 * Adds the paths of values that are strings only in `exact`. As in other paths, a list adds no
 * step.
 */
function addDifferent(
  value: Json | undefined,
  exact: Json | undefined,
  path: string,
  paths: Set<string>,
): void {
  if (paths.size === LIMITS.precisionLostFields) return
  if (typeof value === 'number' && typeof exact === 'string') paths.add(path)
  else if (Array.isArray(value) && Array.isArray(exact))
    value.forEach((each, index) => addDifferent(each, exact[index], path, paths))
  else if (isJsonObject(value) && isJsonObject(exact))
    for (const [name, each] of Object.entries(value)) {
      const step = name.replaceAll('.', String.raw`\.`)
      addDifferent(each, exact[name], path === '' ? step : `${path}.${step}`, paths)
    }
}
