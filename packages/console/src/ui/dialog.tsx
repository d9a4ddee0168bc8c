import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import css from './dialog.module.css'

/** Gives the focus to the page if the element that had it is gone. */
export function keepFocus(): void {
  if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true })
}

interface DialogProps {
  readonly title: string
  /** Also called for the Escape key, unless `locked`. */
  readonly onClose: () => void
  /**
   * The reader must choose a button of the content, for example for a secret that is shown once.
   */
  readonly locked?: boolean
  readonly children: ReactNode
}

/** A modal dialog of the browser, open while it is rendered: it keeps the focus and returns it. */
export function Dialog({ title, onClose, locked = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Not a passive effect: a key that is pressed next must find the dialog open or closed.
  useLayoutEffect(() => {
    const dialog = ref.current!
    dialog.showModal()
    dialog.querySelector<HTMLElement>('form :is(input, textarea, select)')?.focus()
    return () => {
      dialog.close()
      // Its opener is gone.
      if (dialog.contains(document.activeElement)) (document.activeElement as HTMLElement).blur()
      keepFocus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={css.dialog}
      aria-labelledby={id}
      onCancel={(event) => locked && event.preventDefault()}
      // The event comes late: the dialog may be gone, and another one open.
      onClose={() => {
        // Browsers close it anyway when Escape is pressed again.
        if (locked) ref.current?.showModal()
        else if (ref.current !== null) onClose()
      }}
    >
      <div className={classes('spread', css.head)}>
        <h2 id={id}>{title}</h2>
        {!locked && (
          <Button look="quiet" small onClick={onClose}>
            Close
          </Button>
        )}
      </div>
      {children}
    </dialog>
  )
}

interface DialogButtonProps extends Pick<ComponentProps<typeof Button>, 'look' | 'small'> {
  readonly label: string
  /** Of the dialog. */
  readonly title: string
  readonly children: (close: () => void) => ReactNode
}

/** A button that opens a dialog. */
export function DialogButton({ label, title, children, ...looks }: DialogButtonProps) {
  const [open, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button {...looks} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <Dialog title={title} onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  )
}
