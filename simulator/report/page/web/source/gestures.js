// Gestures of fingers on a chart: one finger moves in time, two zoom, a tap points and selects. The page
// scrolls when a finger moves up or down.

/** `act`: {pan(share of the width), zoom(factor, x), tap(event)}; x in pixels from the left of `target`. */
export function listenToFingers(target, act) {
  const fingers = new Map(); // by pointer: x
  let moved = 0;
  target.style.touchAction = "pan-y";
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { distance: Math.max(10, Math.abs(a - b)), middle: (a + b) / 2 };
  };
  target.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    if (fingers.size === 0) moved = 0;
    fingers.set(event.pointerId, event.clientX);
    try { target.setPointerCapture(event.pointerId); } catch { /* the finger has left already */ }
  });
  target.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const box = target.getBoundingClientRect(), before = fingers.get(event.pointerId);
    const old = fingers.size === 2 ? spread() : null;
    fingers.set(event.pointerId, event.clientX);
    moved += Math.abs(event.clientX - before);
    if (old) {
      const now = spread();
      act.zoom(old.distance / now.distance, now.middle - box.left);
      act.pan((old.middle - now.middle) / box.width);
    } else if (fingers.size === 1 && moved > 4) act.pan((before - event.clientX) / box.width);
  });
  const end = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (event.type === "pointerup" && fingers.size === 0 && moved <= 4) act.tap(event);
  };
  target.addEventListener("pointerup", end);
  target.addEventListener("pointercancel", end);
}
