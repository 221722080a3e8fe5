import type { ReactElement } from 'react'
import { Panel } from '../../../design/panel.tsx'
import {
  BuilderContext,
  useSuggestions,
} from '../../../domain/conditions/builder/builder-context.ts'
import { ConditionInputs } from '../../../domain/conditions/builder/condition-inputs.tsx'
import {
  DefinitionInputs,
  FormButton,
} from '../../../domain/conditions/builder/definition-inputs.tsx'
import { errorsOf } from '../../../domain/conditions/builder/error-list.tsx'
import type { ConditionTree } from '../../../domain/conditions/draft/condition-tree.ts'
import {
  type DefinitionDraft,
  isDefinitionComplete,
} from '../../../domain/conditions/draft/definition-draft.ts'
import type { ClauseDraft } from '../draft/clause-draft.ts'
import type { ComputeDraft } from '../draft/compute-draft.ts'
import { type ComputationKind, useAudienceNames } from '../record/computation-kind.ts'
import { CLAUSE_EDITOR } from './clause-inputs.tsx'
import { ComputeInputs } from './compute-inputs.tsx'
import { PreviewPanel } from './preview-panel.tsx'
import { ReferencesContext, useReferences } from './references-context.ts'
import { usePreview } from './use-preview.ts'

interface DefinitionEditorProps {
  readonly kind: ComputationKind
  readonly space: string
  /** The id of the record; absent for a new one. */
  readonly ownId?: string
  readonly value: DefinitionDraft<unknown>
  readonly onChange: (value: DefinitionDraft<unknown>) => void
  /** Why saving this value failed, or `null`. */
  readonly error: unknown
}

/** Edits a definition in the builder or as JSON, with a live preview. */
export function DefinitionEditor(props: DefinitionEditorProps): ReactElement {
  const { kind, space, ownId, value, onChange, error } = props
  const isComplete = isDefinitionComplete(kind.notation, value)
  const preview = usePreview(kind, space, isComplete ? value.json : undefined)
  const content = {
    errors: errorsOf([error, isComplete ? preview.error : null]),
    suggestions: useSuggestions(),
    nameOf: useAudienceNames(),
  }
  const references = useReferences(space, ownId)
  return (
    <BuilderContext value={content}>
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <Panel title={kind.definitionLabel} actions={<FormButton />}>
          <DefinitionInputs
            notation={kind.notation}
            label={kind.definitionLabel}
            pointer={`/${kind.definition}`}
            value={value}
            onChange={onChange}
          >
            {(draft, change) => (
              <ReferencesContext value={references}>
                {kind.definition === 'condition' ? (
                  <ConditionInputs
                    editor={CLAUSE_EDITOR}
                    pointer="/condition"
                    draft={draft as ConditionTree<ClauseDraft>}
                    onChange={change}
                  />
                ) : (
                  <ComputeInputs draft={draft as ComputeDraft} onChange={change} />
                )}
              </ReferencesContext>
            )}
          </DefinitionInputs>
        </Panel>
        <div className="lg:sticky lg:top-16">
          <PreviewPanel
            kind={kind}
            space={space}
            definition={value.json}
            isComplete={isComplete}
            preview={preview}
          />
        </div>
      </div>
    </BuilderContext>
  )
}
