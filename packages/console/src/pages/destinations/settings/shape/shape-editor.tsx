import type { ReactElement } from 'react'
import {
  BuilderContext,
  useSuggestions,
} from '../../../../domain/conditions/builder/builder-context.ts'
import { DefinitionInputs } from '../../../../domain/conditions/builder/definition-inputs.tsx'
import { faultsIn, type PartFault } from '../../../../domain/conditions/builder/fault-list.tsx'
import type { DefinitionDraft } from '../../../../domain/conditions/draft/definition-draft.ts'
import type { DestinationProps } from '../../../../domain/destinations/destination-query.ts'
import { shapeFault } from '../routing-draft.ts'
import { type ShapeDraft, SHAPES } from './shape-draft.ts'
import { ShapeInputs } from './shape-inputs.tsx'

interface ShapeEditorProps extends DestinationProps {
  readonly value: DefinitionDraft<ShapeDraft>
  readonly onChange: (value: DefinitionDraft<ShapeDraft>) => void
  /** The faults from saving. */
  readonly faults: readonly PartFault[]
}

/** Edits the sample, the rules for fields and the format, as inputs or as JSON. */
export function ShapeEditor(props: ShapeEditorProps): ReactElement {
  const { destination, value, onChange, faults } = props
  const local = shapeFault(value.json)
  const content = {
    faults: [
      ...(local === undefined ? [] : [{ pointer: '', code: 'invalid', message: local, hint: '' }]),
      ...['/sample', '/fields', '/format'].flatMap((pointer) => faultsIn(faults, pointer)),
    ],
    suggestions: useSuggestions(destination.sourceId),
    nameOf: () => undefined,
  }
  return (
    <section aria-label={TITLE} className="flex flex-col gap-3">
      <h3 className="font-semibold">{TITLE}</h3>
      <BuilderContext value={content}>
        <DefinitionInputs
          notation={SHAPES}
          label={TITLE}
          pointer=""
          value={value}
          onChange={onChange}
        >
          {(draft, change) => <ShapeInputs draft={draft} onChange={change} />}
        </DefinitionInputs>
      </BuilderContext>
    </section>
  )
}

const TITLE = 'Users, fields and format'
