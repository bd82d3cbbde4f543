/** Runs work after the browser has drawn a frame. */

/** Calls `run` after the browser draws the next frame; a hidden page draws when it becomes visible. Returns a function that cancels. */
export function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    // The browser calls this frame callback before it draws the frame. A timeout that starts here ends after the frame is drawn.
    timer = setTimeout(run, 0);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
