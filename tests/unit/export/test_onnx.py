# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import json

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from oakemu_rl.errors import UserError
from oakemu_rl.export import OnnxExporter, PolicyMetadata, read_metadata
from oakemu_rl.export import onnx as onnx_module
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration
from oakemu_rl.ppo.observation_parts import ObservationPart, ObservationParts

SHAPE = (2, 20, 24)
METADATA = PolicyMetadata(
    game="ZXSpectrum/Test-v0",
    definition={"id": "ZXSpectrum/Test-v0", "limits": {"steps": 5}},
    actions=("stay", "left", "right"),
    observation={"size": [24, 20], "stack": 2},
    steps=1234,
    version="0.0.1",
)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    configuration = PPOModelConfiguration(conv_filters=[(4, 4, 2)], fcnet_hiddens=[16])
    model = PPOModel(SHAPE, 3, configuration)
    with torch.no_grad():
        model.policy_head.weight.mul_(100)  # the fresh head's logits are all but equal, which would hide a wrong graph
    return model


def exporter(model, **kwargs):
    return OnnxExporter(
        model, observation_shape=SHAPE, observation_dtype=np.dtype(np.uint8), metadata=METADATA, **kwargs
    )


@pytest.fixture(scope="module")
def report(model, tmp_path_factory):
    return exporter(model).export(tmp_path_factory.mktemp("export") / "policy.onnx")


def run(path, observations):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["logits", "action"], {"obs": observations})


@pytest.mark.parametrize("batch", [1, 3, 32])
def test_file_computes_what_the_model_computes(model, report, batch):
    observations = np.random.default_rng(batch).integers(0, 256, size=(batch, *SHAPE), dtype=np.uint8)
    logits, actions = run(report.path, observations)
    with torch.inference_mode():
        expected = model.get_logits(torch.from_numpy(observations)).numpy()
    assert np.abs(logits - expected).max() < 1e-4
    assert actions.tolist() == expected.argmax(axis=1).tolist()
    assert np.ptp(expected) > 0.1  # else nothing was compared
    assert report.size == report.path.stat().st_size


def test_input_is_uint8_with_a_free_first_axis(report):
    graph = onnx.load(report.path).graph
    (entry,) = graph.input
    assert entry.name == "obs"
    assert entry.type.tensor_type.elem_type == onnx.TensorProto.UINT8
    dimensions = entry.type.tensor_type.shape.dim
    assert dimensions[0].dim_param != ""
    assert [dimension.dim_value for dimension in dimensions[1:]] == list(SHAPE)
    assert [output.name for output in graph.output] == ["logits", "action"]


def test_a_masked_action_is_never_chosen(model, tmp_path):
    favouring_one = copy.deepcopy(model)
    with torch.no_grad():
        favouring_one.policy_head.bias[1] = 1e6
    mask = np.array([True, False, True])
    report = exporter(favouring_one, action_mask=mask).export(tmp_path / "policy.onnx")
    observations = np.random.default_rng(0).integers(0, 256, size=(64, *SHAPE), dtype=np.uint8)
    logits, actions = run(report.path, observations)
    assert 1 not in actions
    assert np.isneginf(logits[:, 1]).all()
    assert np.isfinite(logits[:, [0, 2]]).all()


def test_metadata_comes_back(report):
    assert read_metadata(report.path) == METADATA
    properties = {entry.key: json.loads(entry.value) for entry in onnx.load(report.path).metadata_props}
    assert properties["oakemu_rl.actions"] == ["stay", "left", "right"]


def opset_of(path):
    return {entry.version for entry in onnx.load(path).opset_import if entry.domain in ("", "ai.onnx")}


def test_opset_is_the_one_asked_for(model, report, tmp_path):
    assert opset_of(report.path) == {18}
    assert opset_of(exporter(model).export(tmp_path / "policy.onnx", opset=21).path) == {21}


@pytest.mark.parametrize("opset", [0, 13, 17, 99])
def test_unsupported_opset_is_refused_before_anything_is_written(model, tmp_path, opset):
    with pytest.raises(UserError, match=rf"opset {opset} .* 18 to 21"):
        exporter(model).export(tmp_path / "deep" / "policy.onnx", opset=opset)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_self_check_keeps_the_old_file(model, tmp_path, monkeypatch):
    path = tmp_path / "policy.onnx"
    path.write_bytes(b"the old one")
    monkeypatch.setattr(onnx_module, "_TOLERANCE", -1.0)
    with pytest.raises(UserError, match="self-check failed at batch 1"):
        exporter(model).export(path)
    assert path.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_export_leaves_the_model_as_it_was(model, tmp_path):
    trained = copy.deepcopy(model).train()
    exporter(trained).export(tmp_path / "policy.onnx")
    assert trained.training
    for name, tensor in model.state_dict().items():
        assert torch.equal(trained.state_dict()[name], tensor)


def test_wrong_masks_are_refused(model):
    with pytest.raises(ValueError, match=r"shape \(2,\).* 3 actions"):
        exporter(model, action_mask=np.array([True, False]))
    with pytest.raises(ValueError, match="allows no action"):
        exporter(model, action_mask=np.zeros(3, dtype=bool))


def test_a_folder_that_is_a_file_is_one_line(model, tmp_path):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(UserError, match="cannot write"):
        exporter(model).export(tmp_path / "taken" / "policy.onnx")


IMPALA = PPOModelConfiguration(network="impala", impala_channels=[4, 4], fcnet_hiddens=[16])
PARTS = ObservationParts(
    (
        ObservationPart("picture", SHAPE, "uint8", (0, 255)),
        ObservationPart("score", (1,), "int64", (0, 999_999)),
        ObservationPart("speed", (2,), "float32", None),
    )
)


@pytest.mark.parametrize(
    ("form", "configuration"),
    [
        (SHAPE, IMPALA),
        ((50,), PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[16])),
        (PARTS, IMPALA),
        (ObservationParts(PARTS.parts[1:]), PPOModelConfiguration(fcnet_hiddens=[16])),
    ],
    ids=["impala", "numbers", "picture and numbers", "numbers by name"],
)
def test_every_network_is_exported(form, configuration, tmp_path):
    torch.manual_seed(0)
    model = PPOModel(form, 3, configuration)
    with torch.no_grad():
        model.policy_head.weight.mul_(100)
    report = OnnxExporter(
        model, observation_shape=form, observation_dtype=np.dtype(np.uint8), metadata=METADATA
    ).export(tmp_path / "policy.onnx")
    rng = np.random.default_rng(7)
    named = {
        "obs": rng.integers(0, 256, (4, 50), dtype=np.uint8) if form == (50,) else None,
        "picture": rng.integers(0, 256, (4, *SHAPE), dtype=np.uint8),
        "score": rng.integers(0, 5000, (4, 1)),
        "speed": rng.standard_normal((4, 2)).astype(np.float32),
    }
    session = onnxruntime.InferenceSession(report.path)
    names = [each.name for each in session.get_inputs()]
    inputs = {name: named["picture"] if form == SHAPE else named[name] for name in names}
    logits, actions = session.run(["logits", "action"], inputs)
    tensors = {name: torch.from_numpy(array) for name, array in inputs.items()}
    with torch.inference_mode():
        expected = model.get_logits(tensors if isinstance(form, ObservationParts) else tensors["obs"]).numpy()
    np.testing.assert_allclose(logits, expected, atol=1e-4)
    assert np.ptp(expected) > 0.01
    assert actions.tolist() == expected.argmax(axis=1).tolist()
    wanted = [part.name for part in form.parts] if isinstance(form, ObservationParts) else ["obs"]
    assert names == wanted


@pytest.mark.parametrize("kind", ["gru", "lstm"])
@pytest.mark.parametrize("form", [SHAPE, PARTS], ids=["picture", "picture and numbers"])
def test_a_recurrent_network_s_state_goes_in_and_out(form, kind, tmp_path):
    torch.manual_seed(0)
    configuration = PPOModelConfiguration(conv_filters=[(4, 4, 2)], recurrent=kind, recurrent_size=7)
    model = PPOModel(form, 3, configuration)
    with torch.no_grad():
        model.policy_head.weight.mul_(100)
    exporter = OnnxExporter(model, observation_shape=form, observation_dtype=np.dtype(np.uint8), metadata=METADATA)
    session = onnxruntime.InferenceSession(exporter.export(tmp_path / "policy.onnx").path)
    assert [each.name for each in session.get_inputs()][-1] == "state"
    assert [each.name for each in session.get_outputs()] == ["logits", "action", "next_state"]
    rng = np.random.default_rng(3)
    state, own = np.zeros((4, model.state_size), np.float32), torch.zeros(4, model.state_size)
    for _ in range(5):
        named = {
            "picture": rng.integers(0, 256, (4, *SHAPE), dtype=np.uint8),
            "score": rng.integers(0, 5000, (4, 1)),
            "speed": rng.standard_normal((4, 2)).astype(np.float32),
        }
        inputs = named if form is PARTS else {"obs": named["picture"]}
        logits, _, state = session.run(None, {**inputs, "state": state})
        tensors = {name: torch.from_numpy(array) for name, array in inputs.items()}
        with torch.inference_mode():
            expected, _, own = model.step(tensors if form is PARTS else tensors["obs"], own)
        np.testing.assert_allclose(logits, expected.numpy(), atol=1e-4)
        np.testing.assert_allclose(state, own.numpy(), atol=1e-5)
    assert state.any()


@pytest.mark.parametrize("content", [b"", b"no onnx at all", b"\x08\x07"])
def test_foreign_files_have_no_metadata(tmp_path, content):
    path = tmp_path / "foreign.onnx"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"foreign\.onnx: not a"):
        read_metadata(path)
