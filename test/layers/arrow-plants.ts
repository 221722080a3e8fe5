import { COMPONENT_NAMES } from '../../layers/components.ts'
import { IMPORT_FORMS, wayBetween } from './import-forms.ts'
import { type Arrow, arrows, type Layer, pathsIn } from './places.ts'
import type { Allowed, Plant } from './plant.ts'

const RULE = 'eslint(no-restricted-imports)'

const { value, type } = IMPORT_FORMS

const FORBIDDEN_FORMS = {
  everything: [],
  types: [value],
  nothing: Object.values(IMPORT_FORMS),
} as const satisfies Record<Arrow['allowed'], unknown>

const ALLOWED_FORMS = {
  everything: [value, type],
  types: [type],
  nothing: [],
} as const satisfies Record<Arrow['allowed'], unknown>

/** A plant for each forbidden arrow inside the server, from and to each depth of rooms, in each form. */
export function arrowPlants(): Plant[] {
  return arrows().flatMap(({ from, to, allowed }) =>
    ways(from, to).flatMap(({ file, way }) =>
      FORBIDDEN_FORMS[allowed].map((form) => ({ file, rule: RULE, violation: form(way) })),
    ),
  )
}

/** Every allowed arrow, likewise, and the imports that a component has inside, across its rooms. */
export function allowedArrows(): Allowed[] {
  const inside = COMPONENT_NAMES.map((component) => ({
    from: component,
    to: component,
    allowed: 'everything' as const,
  }))
  return [...arrows(), ...inside].flatMap(({ from, to, allowed }) =>
    ways(from, to).flatMap(({ file, way }) =>
      ALLOWED_FORMS[allowed].map((form) => ({ file, rule: RULE, innocent: form(way) })),
    ),
  )
}

// Where they lead is no file: the rule goes by the path alone, and to look for cycles would take time.
function ways(from: Layer, to: Layer): { file: string; way: string }[] {
  return pathsIn(from, 'planted.ts').flatMap((file) =>
    pathsIn(to, 'target.ts').map((target) => ({ file, way: wayBetween(file, target) })),
  )
}
