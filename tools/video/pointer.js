// Runs in each page of the film: a headless browser draws no pointer.
addEventListener('DOMContentLoaded', () => {
	const pointer = document.createElement('div');
	pointer.innerHTML =
		'<svg width="22" height="28" viewBox="0 0 11 14"><path d="M0 0v11l3-2.6 1.9 4.3 1.9-.8-1.9-4.2H9z" fill="#000" stroke="#fff"/></svg>';
	pointer.style = 'position: fixed; z-index: 2147483647; pointer-events: none; left: -99px';
	pointer.style.transition = 'left .25s, top .25s';
	document.body.append(pointer);
	const follow = ({ clientX, clientY }) => {
		Object.assign(pointer.style, { left: `${clientX}px`, top: `${clientY}px` });
	};
	addEventListener('mousemove', follow, true);
});
