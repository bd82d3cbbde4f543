/** Work that a picture need not wait for. */

/** Runs once the next frame is on the screen; on a hidden page when it is seen again. Returns what takes it back. */
export function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    // The task behind a frame's callbacks runs when that frame has been drawn.
    timer = setTimeout(run, 0);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
